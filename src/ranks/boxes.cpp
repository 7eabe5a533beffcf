// Arithmetic with boxes of array elements.
#include "ranks/boxes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/invariant.hpp"

namespace perdure::detail {

std::uint64_t box_list::elements() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < count_; ++i)
    all += std::accumulate(count(i), count(i) + rank_, std::uint64_t{1}, std::multiplies<>());
  return all;
}

void box_list::add(const std::uint64_t* offset, const std::uint64_t* count) {
  if (std::find(count, count + rank_, 0) != count + rank_) return;
  numbers_.insert(numbers_.end(), offset, offset + rank_);
  numbers_.insert(numbers_.end(), count, count + rank_);
  ++count_;
}

namespace {

bool overlap(const box_list& a, std::size_t i, const box_list& b, std::size_t j) {
  for (std::size_t d = 0; d < a.rank(); ++d)
    if (a.end(i, d) <= b.begin(j, d) || b.end(j, d) <= a.begin(i, d)) return false;
  return true;
}

// What is left of box i of `from` beside box j of `cut`, which overlaps it: up to two boxes a dimension.
void add_rest(const box_list& from, std::size_t i, const box_list& cut, std::size_t j, box_list& into) {
  std::array<std::uint64_t, max_rank> offset{};
  std::array<std::uint64_t, max_rank> count{};
  std::copy_n(from.offset(i), from.rank(), offset.begin());
  std::copy_n(from.count(i), from.rank(), count.begin());
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const std::uint64_t end = offset[d] + count[d];
    const std::uint64_t first = std::max(offset[d], cut.begin(j, d));
    const std::uint64_t last = std::min(end, cut.end(j, d));
    auto part = offset;
    auto size = count;
    size[d] = first - offset[d];
    into.add(part.data(), size.data());
    part[d] = last;
    size[d] = end - last;
    into.add(part.data(), size.data());
    offset[d] = first;
    count[d] = last - first;
  }
}

// Along which boxes overlap least.
std::size_t most_divided(const box_list& boxes) {
  std::size_t best = 0;
  std::size_t most = 0;
  std::vector<std::uint64_t> begins(boxes.size());
  for (std::size_t d = 0; d < boxes.rank(); ++d) {
    for (std::size_t i = 0; i < boxes.size(); ++i) begins[i] = boxes.begin(i, d);
    std::sort(begins.begin(), begins.end());
    const auto different =
        static_cast<std::size_t>(std::unique(begins.begin(), begins.end()) - begins.begin());
    if (different <= most) continue;
    most = different;
    best = d;
  }
  return best;
}

}  // namespace

box_list common(const box_list& boxes, const slab& where) {
  box_list result(boxes.rank());
  std::array<std::uint64_t, max_rank> offset{};
  std::array<std::uint64_t, max_rank> count{};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t d = 0; d < boxes.rank(); ++d) {
      offset[d] = std::max(boxes.begin(i, d), where.offset[d]);
      const std::uint64_t end = std::min(boxes.end(i, d), where.offset[d] + where.count[d]);
      count[d] = end > offset[d] ? end - offset[d] : 0;
    }
    result.add(offset.data(), count.data());
  }
  return result;
}

box_list without(const box_list& from, const box_list& boxes) {
  box_list left = from;
  for (std::size_t j = 0; j < boxes.size() && !left.empty(); ++j) {
    box_list next(from.rank());
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (overlap(left, i, boxes, j)) {
        add_rest(left, i, boxes, j, next);
      } else {
        next.add(left, i);
      }
    }
    left = std::move(next);
  }
  PERDURE_DEBUG_INVARIANT(left.elements() <= from.elements());
  return left;
}

box_list disjoint(const box_list& boxes) {
  if (!find_overlap(boxes)) return boxes;
  box_list result(boxes.rank());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    box_list one(boxes.rank());
    one.add(boxes, i);
    const box_list fresh = without(one, result);
    for (std::size_t j = 0; j < fresh.size(); ++j) result.add(fresh, j);
  }
  PERDURE_PARANOID_INVARIANT(!find_overlap(result));
  return result;
}

std::optional<std::pair<std::size_t, std::size_t>> find_overlap(const box_list& boxes) {
  if (boxes.size() < 2) return std::nullopt;
  if (boxes.rank() == 0) return std::pair<std::size_t, std::size_t>(0, 1);
  const std::size_t along = most_divided(boxes);
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return boxes.begin(a, along) < boxes.begin(b, along); });
  // Those that have begun and not ended where the sweep is.
  std::vector<std::size_t> open;
  for (const std::size_t i : order) {
    std::erase_if(open, [&](std::size_t j) { return boxes.end(j, along) <= boxes.begin(i, along); });
    for (const std::size_t j : open)
      if (overlap(boxes, i, boxes, j)) return std::pair(std::min(i, j), std::max(i, j));
    open.push_back(i);
  }
  return std::nullopt;
}

}  // namespace perdure::detail
