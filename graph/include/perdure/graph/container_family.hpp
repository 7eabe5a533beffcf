// Choice of the containers that an adjacency list is made of. The same graph code runs on a store's
// containers, and on the standard library's in ordinary memory or in a pinned store.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perdure::graph {

/// A family names an allocator, a vector and a map. Its allocator passes itself on to allocator-aware
/// elements (uses-allocator construction) or has no state.
template <class F>
concept container_family = requires(typename F::template allocator<int>& allocator) {
  typename F::template vector<int>;
  typename F::template map<int, int, std::hash<int>>;
  { allocator.allocate(1) };
};

/// `std::vector` and `std::unordered_map` on any allocator with plain pointers: `std::allocator`, a
/// volatile one of another library, or `perdure::pinned_allocator` in a pinned store.
template <template <class> class Allocator>
struct std_containers {
  template <class T>
  using allocator = Allocator<T>;  ///< allocator of the family
  template <class T>
  using vector = std::vector<T, Allocator<T>>;  ///< vector of the family
  /// Map of the family.
  template <class Key, class Value, class Hash>
  using map =
      std::unordered_map<Key, Value, Hash, std::equal_to<Key>, Allocator<std::pair<const Key, Value>>>;
};

}  // namespace perdure::graph
