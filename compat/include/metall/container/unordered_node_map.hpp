// A hash map in a store whose elements do not move.
#pragma once

#include <metall/container/unordered_map.hpp>

namespace metall::container {

/// Another name of `unordered_map`, which has all its members and more.
template <class Key, class T, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<std::pair<const Key, T>>>
using unordered_node_map = boost::unordered_map<Key, T, Hash, KeyEqual, Allocator>;

}  // namespace metall::container
