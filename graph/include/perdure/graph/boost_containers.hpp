// Boost's containers for an adjacency list, on any allocator, also one with offset pointers.
#pragma once

#include <boost/container/vector.hpp>
#include <boost/unordered_map.hpp>
#include <functional>
#include <perdure/graph/container_family.hpp>
#include <utility>

namespace perdure::graph {

/// `boost::container::vector` and `boost::unordered_map`. The allocator must construct its elements with
/// itself or have no state (`boost::interprocess::allocator` needs a scoped adaptor around it).
template <template <class> class Allocator>
struct boost_containers {
  template <class T>
  using allocator = Allocator<T>;
  template <class T>
  using vector = boost::container::vector<T, Allocator<T>>;
  template <class Key, class Value, class Hash>
  using map =
      boost::unordered_map<Key, Value, Hash, std::equal_to<Key>, Allocator<std::pair<const Key, Value>>>;
};

}  // namespace perdure::graph
