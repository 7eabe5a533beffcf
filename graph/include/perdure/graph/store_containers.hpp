// Perdure's own containers for an adjacency list in a relocatable store.
#pragma once

#include <perdure/allocator.hpp>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/graph/container_family.hpp>
#include <utility>

namespace perdure::graph {

/// A `container_family` of `perdure::vector` and `perdure::flat_map` on any allocator.
template <template <class> class Allocator>
struct flat_containers {
  template <class T>
  using allocator = Allocator<T>;  ///< allocator of the family
  template <class T>
  using vector = perdure::vector<T, Allocator<T>>;  ///< vector of the family
  /// Map of the family.
  template <class Key, class Value, class Hash>
  using map = perdure::flat_map<Key, Value, Hash, perdure::equal_to, Allocator<std::pair<const Key, Value>>>;
};

/// Containers of graphs in relocatable stores.
using store_containers = flat_containers<perdure::allocator>;

}  // namespace perdure::graph
