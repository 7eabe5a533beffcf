// A large array of numbers in a store's memory or anywhere else, filled by its owner.
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

/// An array whose length is given once and whose elements begin undefined: many threads fill it, so that none
/// has to go through all of it first. It begins at a multiple of 8 bytes, and behind its last element
/// `padding` zero bytes may be read, so that loops need not count to its end word by word.
///
/// `Allocator` is any standard one; its pointers may be offset pointers.
template <class T, class Allocator>
class padded_array {
  using traits = std::allocator_traits<Allocator>;
  using pointer = typename traits::pointer;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && 8 % sizeof(T) == 0,
                "elements are numbers of at most 8 bytes");
  static_assert(std::is_same_v<T, typename traits::value_type>, "the allocator allocates another type");

 public:
  using value_type = T;
  using allocator_type = Allocator;

  static constexpr std::size_t padding = 64;

  explicit padded_array(const Allocator& allocator) : allocator_(allocator) {}
  padded_array(const padded_array&) = delete;
  padded_array& operator=(const padded_array&) = delete;
  ~padded_array() { free(); }

  allocator_type get_allocator() const { return allocator_; }
  std::size_t size() const noexcept { return size_; }
  T* data() noexcept { return capacity_ == 0 ? nullptr : std::to_address(first_); }
  const T* data() const noexcept { return capacity_ == 0 ? nullptr : std::to_address(first_); }
  std::span<T> elements() noexcept { return {data(), size_}; }
  std::span<const T> elements() const noexcept { return {data(), size_}; }
  /// Bytes of memory that it holds.
  std::size_t bytes() const noexcept { return capacity_ * sizeof(T); }

  /// Drops the elements and makes room for `size` others, which are undefined but for the padding. Of 0 there
  /// is no memory and no padding. Throws `std::bad_alloc`; the array is empty then.
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

  /// Drops all elements from the `size`th on, of which there are at least as many. Their memory stays the
  /// array's.
  void truncate(std::size_t size) noexcept {
    if (size >= size_) return;
    size_ = size;
    const std::size_t end = size + padding / sizeof(T);
    std::memset(static_cast<void*>(data() + size), 0,
                ((end < capacity_ ? end : capacity_) - size) * sizeof(T));
  }

  /// Exchanges the elements of two arrays of the same memory.
  void swap(padded_array& other) noexcept {
    const pointer theirs = other.first_;
    other.first_ = first_;
    first_ = theirs;
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Says where a store finds the elements.
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
