// Random geometric graphs by cells, each of which is generated without the others.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <perdure/error.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/workload/counted_random.hpp>
#include <string>

namespace perdure::graph {
namespace {

constexpr unsigned place_bits = 31;
// Beyond this depth there are more cells than points.
constexpr unsigned most_depth = 20;
constexpr unsigned most_known = 20;

double radius_for(const rgg_parameters& p) {
  const double n = static_cast<double>(p.vertices);
  const double area = std::numbers::pi * n;
  if (p.degree != 0) return std::sqrt(p.degree / area);
  return (std::sqrt(std::log(n) / area) + std::sqrt(2.0736 / n)) / 2;
}

std::uint64_t coordinate(std::uint64_t cell, unsigned axis) noexcept {
  std::uint64_t place = 0;
  for (unsigned bit = 0; bit < most_depth; ++bit) place |= (cell >> (2 * bit + axis) & 1) << bit;
  return place;
}

std::uint64_t cell_of(std::uint64_t x, std::uint64_t y) noexcept {
  std::uint64_t cell = 0;
  for (unsigned bit = 0; bit < most_depth; ++bit)
    cell |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
  return cell;
}

/// Squares a length of up to 2^31, so that the sum of two squares fits.
std::uint64_t square(std::int64_t length) noexcept {
  return static_cast<std::uint64_t>(length) * static_cast<std::uint64_t>(length);
}

}  // namespace

rgg_generator::rgg_generator(const rgg_parameters& p)
    : vertices_(p.vertices),
      counts_key_(workload::mixed(p.seed + workload::golden_step)),
      places_key_(workload::mixed(counts_key_ + workload::golden_step)) {
  if (p.vertices < 1 || p.vertices > max_vertices)
    throw error(errc::invalid_argument, std::to_string(p.vertices) + " vertices are outside 1..2^40");
  if (!(p.degree >= 0) || p.degree > std::numbers::pi * static_cast<double>(p.vertices))
    throw error(errc::invalid_argument,
                "a mean degree of " + std::to_string(p.degree) + " is negative or more than " +
                    std::to_string(p.vertices) +
                    " vertices in a square can have; give a smaller one, or 0 for the usual radius");
  const double radius = std::min(radius_for(p), 1.0);
  // Some cells for each point, however short the radius is.
  while (depth_ < most_depth && (std::uint64_t{1} << (2 * depth_)) < 16 * vertices_ &&
         std::ldexp(radius, static_cast<int>(depth_ + 1)) <= 1)
    ++depth_;
  const int scale = static_cast<int>(depth_ + place_bits);
  reach_ = std::max<std::int64_t>(1, std::llround(std::ldexp(radius, scale)));
  radius_ = std::ldexp(static_cast<double>(reach_), -scale);
  known_ = std::min(2 * depth_, most_known);
  starts_ = {0, vertices_};
  for (unsigned level = 0; level < known_; ++level) {
    std::vector<vertex_id> halves;
    halves.reserve(2 * starts_.size() - 1);
    for (std::uint64_t at = 0; at + 1 < starts_.size(); ++at) {
      halves.push_back(starts_[at]);
      halves.push_back(starts_[at] + in_first_half(starts_[at + 1] - starts_[at], level, at));
    }
    halves.push_back(vertices_);
    starts_ = std::move(halves);
  }
  if (p.scramble)
    scramble_.emplace(std::max(1u, static_cast<unsigned>(std::bit_width(vertices_ - 1))), places_key_);
}

// As many of `count` points as random bits are 1: binomially distributed, without a rounding that machines
// could do differently.
std::uint64_t rgg_generator::in_first_half(std::uint64_t count, unsigned level,
                                           std::uint64_t prefix) const noexcept {
  const std::uint64_t key = workload::random_number(counts_key_ + level, prefix);
  std::uint64_t first = 0;
  for (std::uint64_t word = 0; word < count / 64; ++word)
    first += static_cast<unsigned>(std::popcount(workload::random_number(key, word)));
  if (const std::uint64_t rest = count % 64; rest != 0)
    first += static_cast<unsigned>(std::popcount(workload::random_number(key, count / 64) >> (64 - rest)));
  return first;
}

rgg_generator::cell rgg_generator::cell_at(std::uint64_t index) const noexcept {
  const unsigned levels = 2 * depth_;
  std::uint64_t prefix = index >> (levels - known_);
  cell found{index, starts_[prefix], starts_[prefix + 1] - starts_[prefix]};
  for (unsigned level = known_; level < levels; ++level) {
    const std::uint64_t first = in_first_half(found.count, level, prefix);
    const std::uint64_t half = index >> (levels - 1 - level) & 1;
    if (half == 0) {
      found.count = first;
    } else {
      found.first += first;
      found.count -= first;
    }
    prefix = prefix << 1 | half;
  }
  return found;
}

void rgg_generator::place(const cell& of, std::vector<placed>& out) const {
  out.clear();
  constexpr std::uint64_t mask = (std::uint64_t{1} << place_bits) - 1;
  for (std::uint64_t i = 0; i < of.count; ++i) {
    const std::uint64_t draw = workload::random_number(places_key_, of.first + i);
    out.push_back({static_cast<std::int64_t>(draw & mask), static_cast<std::int64_t>(draw >> 33)});
  }
}

// Numbers beyond the last vertex are permuted again until they are below it.
vertex_id rgg_generator::number_of(vertex_id by_place) const noexcept {
  if (!scramble_) return by_place;
  vertex_id number = by_place;
  do number = (*scramble_)(number);
  while (number >= vertices_);
  return number;
}

void rgg_generator::generate(std::uint64_t first, std::uint64_t last, std::vector<edge>& out) const {
  const std::uint64_t side = std::uint64_t{1} << depth_;
  std::vector<placed> own;
  std::vector<placed> others;
  std::vector<cell> around;
  for (std::uint64_t index = first; index < last; ++index) {
    const cell here = cell_at(index);
    if (here.count == 0) continue;
    place(here, own);
    const std::uint64_t column = coordinate(index, 0);
    const std::uint64_t row = coordinate(index, 1);
    const std::size_t begin = out.size();
    for (std::uint64_t y = row == 0 ? 0 : row - 1; y <= std::min(row + 1, side - 1); ++y)
      for (std::uint64_t x = column == 0 ? 0 : column - 1; x <= std::min(column + 1, side - 1); ++x) {
        const std::uint64_t there = cell_of(x, y);
        if (there < index) continue;
        const cell other = there == index ? here : cell_at(there);
        place(other, others);
        const auto right = (static_cast<std::int64_t>(x) - static_cast<std::int64_t>(column)) *
                           (std::int64_t{1} << place_bits);
        const auto up =
            (static_cast<std::int64_t>(y) - static_cast<std::int64_t>(row)) * (std::int64_t{1} << place_bits);
        for (std::uint64_t i = 0; i < here.count; ++i)
          for (std::uint64_t j = there == index ? i + 1 : 0; j < other.count; ++j) {
            const std::int64_t dx = std::abs(others[j].x + right - own[i].x);
            const std::int64_t dy = std::abs(others[j].y + up - own[i].y);
            if (dx <= reach_ && dy <= reach_ && square(dx) + square(dy) <= square(reach_))
              out.push_back({here.first + i, other.first + j});
          }
      }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), [](const edge& a, const edge& b) {
      return a.source != b.source ? a.source < b.source : a.target < b.target;
    });
    if (scramble_)
      for (std::size_t i = begin; i < out.size(); ++i)
        out[i] = {number_of(out[i].source), number_of(out[i].target)};
  }
}

void rgg_generator::points(std::uint64_t first, std::uint64_t last, std::vector<numbered_point>& out) const {
  std::vector<placed> own;
  const int scale = -static_cast<int>(depth_ + place_bits);
  for (std::uint64_t index = first; index < last; ++index) {
    const cell here = cell_at(index);
    place(here, own);
    const std::uint64_t x = coordinate(index, 0) << place_bits;
    const std::uint64_t y = coordinate(index, 1) << place_bits;
    for (std::uint64_t i = 0; i < here.count; ++i)
      out.push_back({number_of(here.first + i),
                     {std::ldexp(static_cast<double>(x + static_cast<std::uint64_t>(own[i].x)), scale),
                      std::ldexp(static_cast<double>(y + static_cast<std::uint64_t>(own[i].y)), scale)}});
  }
}

std::vector<rgg_generator::point> rgg_generator::points() const {
  std::vector<point> all(vertices_);
  std::vector<numbered_point> some;
  for (std::uint64_t index = 0; index < cells(); ++index) {
    some.clear();
    points(index, index + 1, some);
    for (const numbered_point& one : some) all[one.vertex] = one.place;
  }
  return all;
}

bool rgg_source::next(edge_batch& batch) {
  batch.clear();
  const auto taken = cells_.take();
  if (!taken) return false;
  generator_.generate(taken->first, taken->last, batch.edges);
  return true;
}

workload::progress rgg_source::progress() const noexcept {
  return {cells_.taken(), cells_.all(), "cells"};
}

}  // namespace perdure::graph
