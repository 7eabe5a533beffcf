// A standard allocator over a kind of memory.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <perdure/kind.hpp>
#include <type_traits>

namespace perdure {

/// For containers of ordinary programs (nothing of it is kept): `std::vector<T, kind_allocator<T>>`. The kind
/// must outlive the containers. Two are equal when they are of the same kind; they go with a container that
/// is moved or swapped.
template <class T>
class kind_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  explicit kind_allocator(kind& memory) noexcept : memory_(&memory) {}
  /// Throws as `kind::get`.
  explicit kind_allocator(static_kind which) : memory_(&kind::get(which)) {}
  template <class U>
  kind_allocator(const kind_allocator<U>& other) noexcept : memory_(&other.memory()) {}

  /// Throws `std::bad_alloc`, or `std::bad_array_new_length`.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(memory_->allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t) noexcept { memory_->free(p); }

  kind& memory() const noexcept { return *memory_; }

  template <class U>
  friend bool operator==(const kind_allocator& a, const kind_allocator<U>& b) noexcept {
    return &a.memory() == &b.memory();
  }

 private:
  kind* memory_;
};

}  // namespace perdure
