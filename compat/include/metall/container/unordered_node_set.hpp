// A hash set in a store whose elements do not move.
#pragma once

#include <metall/container/unordered_set.hpp>

namespace metall::container {

/// Another name of `unordered_set`, which has all its members and more.
template <class Key, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<Key>>
using unordered_node_set = boost::unordered_set<Key, Hash, KeyEqual, Allocator>;

}  // namespace metall::container
