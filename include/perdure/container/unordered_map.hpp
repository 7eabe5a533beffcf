// Node-based hash maps for a store: slower than flat_map, but elements never move.
#pragma once

#include <boost/unordered/unordered_map.hpp>
#include <perdure/allocator.hpp>
#include <perdure/hash.hpp>
#include <utility>

namespace perdure {

/// `boost::unordered_map`, the interface of `std::unordered_map`.
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
using unordered_map = boost::unordered_map<Key, Mapped, Hash, KeyEqual, Allocator>;
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
using unordered_multimap = boost::unordered_multimap<Key, Mapped, Hash, KeyEqual, Allocator>;

}  // namespace perdure
