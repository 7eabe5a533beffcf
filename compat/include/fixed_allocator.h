// memkind's allocator of a kind over the caller's memory; see docs/reference/compatibility.md.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "memkind.h"
#include "perdure_memkind/allocator_of_kind.hpp"

namespace libmemkind {
namespace fixed {
namespace internal {

inline std::shared_ptr<struct memkind> make_kind(void* addr, std::size_t size) {
  memkind_t kind = nullptr;
  const int code = ::memkind_create_fixed(addr, size, &kind);
  const std::string what = "no kind over this memory: error code " + std::to_string(code);
  if (code == MEMKIND_ERROR_INVALID) throw std::invalid_argument(what);
  if (code != MEMKIND_SUCCESS) throw std::runtime_error(what);
  return {kind, &::memkind_destroy_kind};
}

}  // namespace internal

template <typename T>
class allocator
    : public libmemkind::internal::allocator_of_kind<allocator, T, std::shared_ptr<struct memkind>> {
  using base = libmemkind::internal::allocator_of_kind<libmemkind::fixed::allocator, T,
                                                       std::shared_ptr<struct memkind>>;

 public:
  using size_type = typename base::size_type;

  /// Throws std::invalid_argument, std::runtime_error.
  explicit allocator(void* addr, size_type size) : base(internal::make_kind(addr, size)) {}
  template <typename U>
  allocator(const allocator<U>& other) noexcept : base(other) {}
};

}  // namespace fixed
}  // namespace libmemkind
