// An allocator for vectors over memory that is there already, as it is.
#pragma once

#include <cstddef>
#include <new>

namespace pmemcpy {

/// Hands out the memory that it was given, whose elements are left as they are.
template <class T>
class NoAllocator {
 public:
  using value_type = T;
  /// The allocator for any other type is this one, as there is no other memory.
  template <class>
  struct rebind {
    using other = NoAllocator;
  };

  NoAllocator() = default;
  NoAllocator(T* ptr, std::size_t count) : ptr_(ptr), count_(count) {}

  void set_ptr(T* ptr, std::size_t count) {
    ptr_ = ptr;
    count_ = count;
  }
  void get_ptr(T*& ptr, std::size_t& count) const {
    ptr = ptr_;
    count = count_;
  }

  std::size_t max_size() const noexcept { return count_; }
  /// Throws `std::bad_alloc` for more elements than there are.
  T* allocate(std::size_t n) {
    if (n > count_) throw std::bad_alloc();
    return ptr_;
  }
  void deallocate(T*, std::size_t) noexcept {}
  template <class... Args>
  void construct(T*, const Args&...) noexcept {}
  void destroy(T*) noexcept {}

  friend bool operator==(const NoAllocator&, const NoAllocator&) = default;

 private:
  T* ptr_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace pmemcpy
