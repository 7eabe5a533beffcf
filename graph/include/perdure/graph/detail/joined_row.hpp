// The neighbours of a vertex where they lie in two places: those it had, and those it got.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace perdure::graph::detail {

/// Two arrays, gone through as one. Either may be empty.
template <class T>
class joined_row {
 public:
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    iterator(const T* at, const T* seam, const T* second) noexcept : at_(at), seam_(seam), second_(second) {}
    reference operator*() const noexcept { return *at_; }
    pointer operator->() const noexcept { return at_; }
    iterator& operator++() noexcept {
      if (++at_ == seam_) [[unlikely]] {
        at_ = second_;
        seam_ = nullptr;
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    // The second array may end where the first one begins.
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_ && seam_ == other.seam_; }

   private:
    const T* at_ = nullptr;
    const T* seam_ = nullptr;  // the end of the first array, while in it and there is something in the second
    const T* second_ = nullptr;
  };
  using const_iterator = iterator;
  using value_type = T;

  joined_row() = default;
  explicit joined_row(std::span<const T> only) noexcept : first_(only) {}
  joined_row(std::span<const T> first, std::span<const T> second) noexcept
      : first_(first.empty() ? second : first), second_(first.empty() ? std::span<const T>() : second) {}

  iterator begin() const noexcept {
    if (second_.empty()) return {first_.data(), nullptr, nullptr};
    return {first_.data(), first_.data() + first_.size(), second_.data()};
  }
  iterator end() const noexcept {
    const std::span<const T> last = second_.empty() ? first_ : second_;
    return {last.data() + last.size(), nullptr, nullptr};
  }
  std::size_t size() const noexcept { return first_.size() + second_.size(); }
  bool empty() const noexcept { return first_.empty(); }

  /// Returns the first piece, for kernels that go through a row piece by piece.
  std::span<const T> first() const noexcept { return first_; }
  std::span<const T> second() const noexcept { return second_; }

 private:
  std::span<const T> first_;  // empty only where both are
  std::span<const T> second_;
};

}  // namespace perdure::graph::detail
