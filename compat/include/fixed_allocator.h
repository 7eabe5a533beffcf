// memkind's allocator of a kind over the caller's memory; see docs/compatibility.md.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "memkind.h"

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

  /// Throws std::invalid_argument, std::runtime_error.
  explicit allocator(void* addr, size_type size) : kind_(internal::make_kind(addr, size)) {}
  template <typename U>
  allocator(const allocator<U>& other) noexcept : kind_(other.kind_) {}

  /// Throws std::bad_alloc.
  pointer allocate(size_type n) const {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_alloc();
    // Containers may ask for nothing, and get an address nevertheless.
    void* const block = ::memkind_malloc(kind_.get(), n == 0 ? 1 : n * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<pointer>(block);
  }
  void deallocate(pointer p, size_type) const { ::memkind_free(kind_.get(), p); }

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

  // Destroyed with the last allocator.
  std::shared_ptr<struct memkind> kind_;
};

template <typename T, typename U>
bool operator==(const allocator<T>& a, const allocator<U>& b) noexcept {
  return a.kind_ == b.kind_;
}
template <typename T, typename U>
bool operator!=(const allocator<T>& a, const allocator<U>& b) noexcept {
  return !(a == b);
}

}  // namespace fixed
}  // namespace libmemkind
