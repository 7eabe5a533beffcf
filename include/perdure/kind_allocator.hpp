// A standard allocator over a kind of memory.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <perdure/kind.hpp>
#include <type_traits>

namespace perdure {

/// An allocator for containers of ordinary programs (nothing of it is kept): `std::vector<T,
/// kind_allocator<T>>`. The kind must outlive the containers. Two are equal when they are of the same kind.
/// They go with a container that is moved or swapped. Thread-safe, as kinds are.
template <class T>
class kind_allocator {
 public:
  /// Member types of an allocator.
  ///@{
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;
  ///@}

  /// Allocates from a kind, which must outlive the allocator.
  explicit kind_allocator(kind& memory) noexcept : memory_(&memory) {}
  /// Allocates from a static kind. Throws as `kind::get`.
  explicit kind_allocator(static_kind which) : memory_(&kind::get(which)) {}
  /// Allocates from the kind of another allocator.
  template <class U>
  kind_allocator(const kind_allocator<U>& other) noexcept : memory_(&other.memory()) {}

  /// Allocates memory for `n` elements. Throws `std::bad_alloc`, or `std::bad_array_new_length`.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(memory_->allocate(n * sizeof(T), alignof(T)));
  }
  /// Gives memory back.
  void deallocate(T* p, std::size_t) noexcept { memory_->free(p); }

  /// Returns the kind.
  kind& memory() const noexcept { return *memory_; }

  /// Returns whether both are of the same kind.
  template <class U>
  friend bool operator==(const kind_allocator& a, const kind_allocator<U>& b) noexcept {
    return &a.memory() == &b.memory();
  }

 private:
  kind* memory_;
};

}  // namespace perdure
