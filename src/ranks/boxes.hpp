// Boxes of array elements: which overlap, and what is left of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/array/extents.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::detail {

/// Parts of one array, in few bytes: offset and count along each dimension. None of them is empty.
class box_list {
 public:
  explicit box_list(std::size_t rank = 0) : rank_(rank) {}

  std::size_t rank() const noexcept { return rank_; }
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  const std::uint64_t* offset(std::size_t i) const noexcept { return numbers_.data() + 2 * rank_ * i; }
  const std::uint64_t* count(std::size_t i) const noexcept { return offset(i) + rank_; }
  std::uint64_t begin(std::size_t i, std::size_t dimension) const noexcept { return offset(i)[dimension]; }
  std::uint64_t end(std::size_t i, std::size_t dimension) const noexcept {
    return offset(i)[dimension] + count(i)[dimension];
  }
  std::span<const std::uint64_t> numbers() const noexcept { return numbers_; }
  std::uint64_t elements() const noexcept;
  slab at(std::size_t i) const {
    return {extents(std::span(offset(i), rank_)), extents(std::span(count(i), rank_)), {}};
  }

  /// Nothing where it is empty.
  void add(const std::uint64_t* offset, const std::uint64_t* count);
  void add(const slab& where) { add(where.offset.begin(), where.count.begin()); }
  void add(const box_list& other, std::size_t i) { add(other.offset(i), other.count(i)); }

 private:
  std::size_t rank_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> numbers_;
};

/// Returns the elements of `boxes` that are in `where` too.
box_list common(const box_list& boxes, const slab& where);
/// `from` without the elements of `boxes`, in boxes that do not overlap if those of `from` do not.
box_list without(const box_list& from, const box_list& boxes);
/// The same elements in boxes that do not overlap.
box_list disjoint(const box_list& boxes);
/// Two that have an element in common.
std::optional<std::pair<std::size_t, std::size_t>> find_overlap(const box_list& boxes);

}  // namespace perdure::detail
