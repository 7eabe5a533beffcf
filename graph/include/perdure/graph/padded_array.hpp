// A large array of numbers, in a store or in ordinary memory, which its owner fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <perdure/stored_form.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace perdure::graph {

/// An array whose length is set once and whose elements are undefined at first, so that several threads can
/// fill it without an initial pass. It is aligned to 8 bytes, and `padding` zero bytes follow its last
/// element, so that loops may read whole words beyond the end.
///
/// `Allocator` may be any standard allocator; its pointers may be offset pointers.
///
/// Thread safety: like a standard container.
template <class T, class Allocator>
class padded_array {
  using traits = std::allocator_traits<Allocator>;
  using pointer = typename traits::pointer;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && 8 % sizeof(T) == 0,
                "elements are numbers of at most 8 bytes");
  static_assert(std::is_same_v<T, typename traits::value_type>, "the allocator allocates another type");

 public:
  using value_type = T;              ///< type of the elements
  using allocator_type = Allocator;  ///< allocator of the memory

  /// Bytes behind the last element that may be read, and are 0.
  static constexpr std::size_t padding = 64;

  /// Makes an empty array without memory.
  explicit padded_array(const Allocator& allocator) : allocator_(allocator) {}
  padded_array(const padded_array&) = delete;
  padded_array& operator=(const padded_array&) = delete;
  ~padded_array() { free(); }

  /// Returns a copy of the allocator.
  allocator_type get_allocator() const { return allocator_; }
  /// Returns the number of elements.
  std::size_t size() const noexcept { return size_; }
  /// Returns the first element, or null for an array without memory.
  T* data() noexcept { return capacity_ == 0 ? nullptr : std::to_address(first_); }
  /// Returns the first element for reading, or null for an array without memory.
  const T* data() const noexcept { return capacity_ == 0 ? nullptr : std::to_address(first_); }
  /// Returns all elements.
  std::span<T> elements() noexcept { return {data(), size_}; }
  /// Returns all elements for reading.
  std::span<const T> elements() const noexcept { return {data(), size_}; }
  /// Returns the bytes of memory that the array holds, padding included.
  std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }

  /// Drops the elements and makes room for `size` new ones, which are undefined; the padding is 0. An array
  /// of size 0 has neither memory nor padding. Throws `std::bad_alloc`; the array is then empty.
  void remake(std::size_t size) {
    free();
    first_ = nullptr;
    size_ = 0;
    capacity_ = 0;
    if (size == 0) return;
    if (size > std::numeric_limits<std::size_t>::max() / 16) throw std::bad_array_new_length();
    constexpr std::size_t in_a_word = 8 / sizeof(T);
    const std::size_t capacity = (size + in_a_word - 1) / in_a_word * in_a_word + padding / sizeof(T);
    first_ = traits::allocate(allocator_, capacity);
    capacity_ = capacity;
    size_ = size;
    T* const elements = data();
    std::memset(static_cast<void*>(elements + size), 0, (capacity - size) * sizeof(T));
  }

  /// Drops the elements from number `size` on. Does nothing if there are no more than `size`. The array keeps
  /// their memory.
  void truncate(std::size_t size) noexcept {
    if (size >= size_) return;
    size_ = size;
    const std::size_t end = size + padding / sizeof(T);
    std::memset(static_cast<void*>(data() + size), 0,
                ((end < capacity_ ? end : capacity_) - size) * sizeof(T));
  }

  /// Exchanges the elements with those of another array in the same memory. O(1).
  void swap(padded_array& other) noexcept {
    const pointer theirs = other.first_;
    other.first_ = first_;
    first_ = theirs;
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Describes to the store where the elements are.
  static auto stored_form() {
    return stored_array(&padded_array::first_, &padded_array::size_, &padded_array::capacity_);
  }

 private:
  void free() noexcept {
    if (capacity_ != 0) traits::deallocate(allocator_, first_, capacity_);
  }

  [[no_unique_address]] Allocator allocator_;
  pointer first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace perdure::graph
