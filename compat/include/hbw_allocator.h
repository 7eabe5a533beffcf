// memkind's allocator over hbwmalloc; see docs/reference/compatibility.md.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include "hbwmalloc.h"

namespace hbw {

template <class T>
class allocator {
 public:
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using value_type = T;
  template <class U>
  struct rebind {
    using other = hbw::allocator<U>;
  };

  allocator() noexcept = default;
  template <class U>
  allocator(const allocator<U>&) noexcept {}

  pointer address(reference x) const { return &x; }
  const_pointer address(const_reference x) const { return &x; }

  /// Throws std::bad_alloc.
  pointer allocate(size_type n, const void* = nullptr) {
    if (n > max_size()) throw std::bad_alloc();
    void* const block = ::hbw_malloc(n == 0 ? 1 : n * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<pointer>(block);
  }
  void deallocate(pointer p, size_type) { ::hbw_free(p); }

  size_type max_size() const noexcept { return std::numeric_limits<size_type>::max() / sizeof(T); }
  void construct(pointer p, const_reference value) { ::new (static_cast<void*>(p)) T(value); }
  void destroy(pointer p) { p->~T(); }
};

template <class T, class U>
bool operator==(const allocator<T>&, const allocator<U>&) noexcept {
  return true;
}
template <class T, class U>
bool operator!=(const allocator<T>&, const allocator<U>&) noexcept {
  return false;
}

}  // namespace hbw
