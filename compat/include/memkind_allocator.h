// memkind's allocator of a static kind; see docs/compatibility.md.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "memkind.h"

namespace libmemkind {

enum class kinds {
  DEFAULT = 0,
  HUGETLB = 1,
  INTERLEAVE = 2,
  HBW = 3,
  HBW_ALL = 4,
  HBW_HUGETLB = 5,
  HBW_ALL_HUGETLB = 6,
  HBW_PREFERRED = 7,
  HBW_PREFERRED_HUGETLB = 8,
  HBW_INTERLEAVE = 9,
  REGULAR = 10,
  DAX_KMEM = 11,
  DAX_KMEM_ALL = 12,
  DAX_KMEM_PREFERRED = 13,
  DAX_KMEM_INTERLEAVE = 14,
  HIGHEST_CAPACITY = 15,
  HIGHEST_CAPACITY_PREFERRED = 16,
  HIGHEST_CAPACITY_LOCAL = 17,
  HIGHEST_CAPACITY_LOCAL_PREFERRED = 18,
  LOWEST_LATENCY_LOCAL = 19,
  LOWEST_LATENCY_LOCAL_PREFERRED = 20,
  HIGHEST_BANDWIDTH_LOCAL = 21,
  HIGHEST_BANDWIDTH_LOCAL_PREFERRED = 22
};

namespace static_kind {

template <typename T>
class allocator {
 public:
  using value_type = T;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  template <class U>
  struct rebind {
    using other = allocator<U>;
  };

  /// Throws std::runtime_error for a value that is no kind.
  explicit allocator(libmemkind::kinds kind) : kind_(kind_of(kind)) {}
  template <typename U>
  allocator(const allocator<U>& other) noexcept : kind_(other.kind_) {}

  /// Throws std::bad_alloc.
  pointer allocate(size_type n) const {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_alloc();
    // Containers may ask for nothing, and get an address nevertheless.
    void* const block = ::memkind_malloc(kind_, n == 0 ? 1 : n * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<pointer>(block);
  }
  void deallocate(pointer p, size_type) const { ::memkind_free(kind_, p); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) const {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  void destroy(pointer p) const { p->~T(); }

 private:
  template <typename>
  friend class allocator;
  template <typename A, typename B>
  friend bool operator==(const allocator<A>&, const allocator<B>&) noexcept;

  static memkind_t kind_of(libmemkind::kinds kind) {
    using libmemkind::kinds;
    switch (kind) {
      case kinds::DEFAULT:
        return MEMKIND_DEFAULT;
      case kinds::HUGETLB:
        return MEMKIND_HUGETLB;
      case kinds::INTERLEAVE:
        return MEMKIND_INTERLEAVE;
      case kinds::HBW:
        return MEMKIND_HBW;
      case kinds::HBW_ALL:
        return MEMKIND_HBW_ALL;
      case kinds::HBW_HUGETLB:
        return MEMKIND_HBW_HUGETLB;
      case kinds::HBW_ALL_HUGETLB:
        return MEMKIND_HBW_ALL_HUGETLB;
      case kinds::HBW_PREFERRED:
        return MEMKIND_HBW_PREFERRED;
      case kinds::HBW_PREFERRED_HUGETLB:
        return MEMKIND_HBW_PREFERRED_HUGETLB;
      case kinds::HBW_INTERLEAVE:
        return MEMKIND_HBW_INTERLEAVE;
      case kinds::REGULAR:
        return MEMKIND_REGULAR;
      case kinds::DAX_KMEM:
        return MEMKIND_DAX_KMEM;
      case kinds::DAX_KMEM_ALL:
        return MEMKIND_DAX_KMEM_ALL;
      case kinds::DAX_KMEM_PREFERRED:
        return MEMKIND_DAX_KMEM_PREFERRED;
      case kinds::DAX_KMEM_INTERLEAVE:
        return MEMKIND_DAX_KMEM_INTERLEAVE;
      case kinds::HIGHEST_CAPACITY:
        return MEMKIND_HIGHEST_CAPACITY;
      case kinds::HIGHEST_CAPACITY_PREFERRED:
        return MEMKIND_HIGHEST_CAPACITY_PREFERRED;
      case kinds::HIGHEST_CAPACITY_LOCAL:
        return MEMKIND_HIGHEST_CAPACITY_LOCAL;
      case kinds::HIGHEST_CAPACITY_LOCAL_PREFERRED:
        return MEMKIND_HIGHEST_CAPACITY_LOCAL_PREFERRED;
      case kinds::LOWEST_LATENCY_LOCAL:
        return MEMKIND_LOWEST_LATENCY_LOCAL;
      case kinds::LOWEST_LATENCY_LOCAL_PREFERRED:
        return MEMKIND_LOWEST_LATENCY_LOCAL_PREFERRED;
      case kinds::HIGHEST_BANDWIDTH_LOCAL:
        return MEMKIND_HIGHEST_BANDWIDTH_LOCAL;
      case kinds::HIGHEST_BANDWIDTH_LOCAL_PREFERRED:
        return MEMKIND_HIGHEST_BANDWIDTH_LOCAL_PREFERRED;
    }
    throw std::runtime_error("libmemkind::kinds has no such value");
  }

  memkind_t kind_;
};

template <typename T, typename U>
bool operator==(const allocator<T>& a, const allocator<U>& b) noexcept {
  return a.kind_ == b.kind_;
}
template <typename T, typename U>
bool operator!=(const allocator<T>& a, const allocator<U>& b) noexcept {
  return !(a == b);
}

}  // namespace static_kind
}  // namespace libmemkind
