// The part that memkind's allocators over kinds share.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "../memkind.h"

namespace libmemkind {
namespace internal {

/// An allocator over one kind of memory. `Allocator` derives from it; `Kind` is `memkind_t`, or a
/// `std::shared_ptr` that destroys the kind with the last allocator. Allocators of one kind are equal.
template <template <typename> class Allocator, typename T, typename Kind>
class allocator_of_kind {
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
    using other = Allocator<U>;
  };

  /// Throws std::bad_alloc.
  pointer allocate(size_type n) const {
    if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_alloc();
    // Containers may ask for nothing, and get an address nevertheless.
    void* const block = ::memkind_malloc(address_of(kind_), n == 0 ? 1 : n * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<pointer>(block);
  }
  void deallocate(pointer p, size_type) const { ::memkind_free(address_of(kind_), p); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) const {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  void destroy(pointer p) const { p->~T(); }

 protected:
  explicit allocator_of_kind(Kind kind) : kind_(std::move(kind)) {}
  template <typename U>
  explicit allocator_of_kind(const allocator_of_kind<Allocator, U, Kind>& other) noexcept
      : kind_(other.kind_) {}

 private:
  template <template <typename> class, typename, typename>
  friend class allocator_of_kind;
  template <template <typename> class A, typename X, typename Y, typename K>
  friend bool operator==(const allocator_of_kind<A, X, K>&, const allocator_of_kind<A, Y, K>&) noexcept;

  static memkind_t address_of(memkind_t kind) noexcept { return kind; }
  static memkind_t address_of(const std::shared_ptr<struct memkind>& kind) noexcept { return kind.get(); }

  Kind kind_;
};

template <template <typename> class A, typename X, typename Y, typename K>
bool operator==(const allocator_of_kind<A, X, K>& a, const allocator_of_kind<A, Y, K>& b) noexcept {
  return a.kind_ == b.kind_;
}
template <template <typename> class A, typename X, typename Y, typename K>
bool operator!=(const allocator_of_kind<A, X, K>& a, const allocator_of_kind<A, Y, K>& b) noexcept {
  return !(a == b);
}

}  // namespace internal
}  // namespace libmemkind
