// Items in the order of numbers that sink while they wait, for verifiers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Hands out items 0 to n - 1, the one with the smallest number first (Batagelj, Zaveršnik: "An O(m)
/// algorithm for cores decomposition of networks", 2003). All steps are O(1), the beginning is O(n + largest
/// number).
class smallest_first {
 public:
  explicit smallest_first(std::vector<std::uint32_t> numbers)
      : numbers_(std::move(numbers)), order_(numbers_.size()), places_(numbers_.size()) {
    const std::uint32_t largest = numbers_.empty() ? 0 : *std::max_element(numbers_.begin(), numbers_.end());
    begins_.resize(largest + std::size_t{2});
    for (const std::uint32_t number : numbers_) ++begins_[number + std::size_t{1}];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    std::vector<std::size_t> next(begins_);
    for (std::size_t item = 0; item < numbers_.size(); ++item) {
      places_[item] = next[numbers_[item]]++;
      order_[places_[item]] = item;
    }
  }

  bool is_empty() const noexcept { return at_ == order_.size(); }
  /// The item, and its number now, which is never below that of one taken before.
  struct taken {
    std::size_t item;
    std::uint32_t number;
  };
  taken take() noexcept {
    const std::size_t item = order_[at_++];
    smallest_ = numbers_[item];
    return {item, smallest_};
  }
  bool is_taken(std::size_t item) const noexcept { return places_[item] < at_; }
  /// Lowers the number of an item that waits by one, unless it is as small as that of the last one taken.
  void lower(std::size_t item) noexcept {
    std::uint32_t& number = numbers_[item];
    if (number <= smallest_) return;
    // It changes places with the first item of its number, and is the last one of the number below then.
    const std::size_t first = begins_[number]++;
    const std::size_t other = order_[first];
    std::swap(order_[first], order_[places_[item]]);
    std::swap(places_[item], places_[other]);
    --number;
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> places_;  // by item, in `order_`
  std::vector<std::size_t> begins_;  // by number the first place, of those that wait
  std::size_t at_ = 0;
  std::uint32_t smallest_ = 0;
};

}  // namespace perdure::graph::detail
