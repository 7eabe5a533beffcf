// The two ways a store may be placed in the address space, and what each asks of its objects.
#pragma once

#include <perdure/allocator.hpp>

namespace perdure {

/// The store may be mapped at another address each time: objects use offset pointers.
struct relocatable {
  /// The allocator of the store's containers.
  template <class T>
  using allocator = perdure::allocator<T>;
  /// Whether the store is always mapped at the same address.
  static constexpr bool fixed_address = false;
};

/// The store is always mapped at the same address: plain pointers and `std::` containers (with
/// `pinned_allocator`) survive. Opening fails with `address_taken` where that address is occupied.
struct pinned {
  /// The allocator of the store's containers.
  template <class T>
  using allocator = perdure::pinned_allocator<T>;
  /// Whether the store is always mapped at the same address.
  static constexpr bool fixed_address = true;
};

}  // namespace perdure
