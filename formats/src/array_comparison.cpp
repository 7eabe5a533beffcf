// Compares arrays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <perdure/formats/array_comparison.hpp>
#include <perdure/progress.hpp>
#include <span>
#include <string_view>

#include "numbers.hpp"
#include "stored_parts.hpp"

namespace perdure::formats {
namespace {

/// Elements of two arrays of one type and shape.
class element_comparison {
 public:
  element_comparison(const data_type& type, double tolerance, array_difference& found)
      : type_(type), tolerance_(tolerance), found_(found), numbers_(numbers_in(type)) {}

  void compare(const std::byte* a, const std::byte* b, std::uint64_t count) {
    const std::size_t size = type_.size();
    if (std::memcmp(a, b, count * size) == 0) return;
    for (std::uint64_t i = 0; i < count; ++i, a += size, b += size)
      if (std::memcmp(a, b, size) != 0 && differs(a, b)) ++found_.differing;
  }

 private:
  bool differs(const std::byte* a, const std::byte* b) {
    // What is no number, of a struct's fillers too, is compared by its bytes.
    if (!numbers_.are_all) return true;
    bool any = false;
    for (const number_place& one : numbers_.places) {
      const double left = number_at(one, a);
      const double right = number_at(one, b);
      if (left == right || (std::isnan(left) && std::isnan(right))) {
        // Integers beyond 2^53 may differ, by little, where doubles do not.
        if (!one.is_exact && tolerance_ == 0 && std::memcmp(a + one.offset, b + one.offset, one.size) != 0)
          any = true;
        continue;
      }
      const double distance = std::abs(left - right);
      if (!(distance <= tolerance_)) any = true;
      const double shown = std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
      found_.largest = std::max(found_.largest.value_or(0), shown);
    }
    return any;
  }

  const data_type& type_;
  double tolerance_;
  array_difference& found_;
  numbers_of_element numbers_;
};

void compare_variable(array_source& a, array_source& b, array_difference& found) {
  const variable_elements left = a.read_variable();
  const variable_elements right = b.read_variable();
  found.elements = left.ends.size();
  const auto at = [](const variable_elements& all, std::size_t i) {
    const std::uint64_t begin = i == 0 ? 0 : all.ends[i - 1];
    return std::string_view(all.bytes).substr(begin, all.ends[i] - begin);
  };
  for (std::size_t i = 0; i < left.ends.size(); ++i)
    if (at(left, i) != at(right, i)) ++found.differing;
}

std::vector<std::string> differing_attributes(const array_description& a, const array_description& b) {
  std::vector<std::string> keys;
  const auto find = [](const array_description& in, const std::string& key) {
    return std::find_if(in.attributes.begin(), in.attributes.end(),
                        [&](const array_attribute& one) { return one.key == key; });
  };
  for (const array_attribute& one : a.attributes) {
    const auto other = find(b, one.key);
    if (other == b.attributes.end() || other->type != one.type || other->dims != one.dims ||
        other->bytes != one.bytes)
      keys.push_back(one.key);
  }
  for (const array_attribute& one : b.attributes)
    if (find(a, one.key) == a.attributes.end()) keys.push_back(one.key);
  return keys;
}

/// Compares two arrays box by box.
class box_comparison {
 public:
  box_comparison(array_source& a, array_source& b, double tolerance, array_difference& found)
      : a_(a), b_(b), comparison_(a.what().type, tolerance, found) {}

  void operator()(const slab& box) {
    const std::uint64_t count = box.count.elements();
    first_.resize(count * a_.what().type.size());
    second_.resize(first_.size());
    a_.read(box, first_.data());
    b_.read(box, second_.data());
    comparison_.compare(first_.data(), second_.data(), count);
    add_progress(first_.size());
  }

 private:
  array_source& a_;
  array_source& b_;
  element_comparison comparison_;
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
};

/// Shrinks `cell` to what an array stores at once: its chunk, or the smallest extents of its parts.
void shrink_to_parts(extents& cell, const array_description& what, std::span<const slab> parts) {
  const auto shrink = [&cell](const extents& to) {
    for (std::size_t i = 0; i < cell.rank(); ++i) cell[i] = std::clamp<std::uint64_t>(to[i], 1, cell[i]);
  };
  if (!what.chunk.empty()) return shrink(what.chunk);
  for (const slab& part : parts) shrink(part.count);
}

/// Compares the elements that one of the arrays stores; the others are zero in both. Each is compared once:
/// in the cell of a grid that it is in.
void compare_stored(array_source& a, std::span<const slab> parts_of_a, array_source& b,
                    std::span<const slab> parts_of_b, box_comparison& compare) {
  // Cells of fewer elements would take longer than they save.
  constexpr std::uint64_t least_elements = std::uint64_t{1} << 15;
  const extents& dims = a.what().dims;
  extents cell = dims;
  shrink_to_parts(cell, a.what(), parts_of_a);
  shrink_to_parts(cell, b.what(), parts_of_b);
  std::uint64_t elements = cell.elements();
  for (std::size_t i = cell.rank(); i-- > 0 && elements < least_elements;) {
    const std::uint64_t along = cell[i];
    cell[i] = std::min(dims[i], along * (least_elements / elements + 1));
    elements = elements / along * cell[i];
  }
  const chunk_grid grid(dims, cell);
  std::vector<slab> parts(parts_of_a.begin(), parts_of_a.end());
  parts.insert(parts.end(), parts_of_b.begin(), parts_of_b.end());
  for_each_stored_chunk(parts, grid, [&](const extents& place) {
    for_each_piece(grid.part_at(place), a.what().type.size(), 1, [&](const slab& piece) { compare(piece); });
  });
}

}  // namespace

array_difference compare_arrays(array_source& a, array_source& b, double tolerance) {
  array_difference found;
  const array_description& left = a.what();
  const array_description& right = b.what();
  if (left.type != right.type || left.dims != right.dims) {
    found.is_comparable = false;
    return found;
  }
  if (left.type.is_variable()) {
    compare_variable(a, b, found);
  } else {
    found.elements = left.dims.elements();
    begin_progress_stage("comparing", found.elements * left.type.size(), "bytes");
    box_comparison compare(a, b, tolerance, found);
    const auto parts_of_a = parts_beside_holes(a);
    const auto parts_of_b = parts_of_a ? parts_beside_holes(b) : std::nullopt;
    if (parts_of_b)
      compare_stored(a, *parts_of_a, b, *parts_of_b, compare);
    else
      for (array_pieces pieces = pieces_of(left); pieces.next_elements() != 0;) compare(pieces.next());
  }
  found.attributes = differing_attributes(left, right);
  return found;
}

}  // namespace perdure::formats
