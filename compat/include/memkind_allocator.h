// memkind's allocator of a static kind; see docs/reference/compatibility.md.
#pragma once

#include <stdexcept>

#include "memkind.h"
#include "perdure_memkind/allocator_of_kind.hpp"

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
class allocator : public libmemkind::internal::allocator_of_kind<allocator, T, memkind_t> {
  using base = libmemkind::internal::allocator_of_kind<libmemkind::static_kind::allocator, T, memkind_t>;

 public:
  /// Throws std::runtime_error for a value that is no kind.
  explicit allocator(libmemkind::kinds kind) : base(kind_of(kind)) {}
  template <typename U>
  allocator(const allocator<U>& other) noexcept : base(other) {}

 private:
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
};

}  // namespace static_kind
}  // namespace libmemkind
