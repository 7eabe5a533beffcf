// Hash sets in a store whose elements do not move.
#pragma once

#include <boost/unordered_set.hpp>
#include <functional>
#include <metall/metall.hpp>

namespace metall::container {

template <class Key, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<Key>>
using unordered_set = boost::unordered_set<Key, Hash, KeyEqual, Allocator>;
template <class Key, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<Key>>
using unordered_multiset = boost::unordered_multiset<Key, Hash, KeyEqual, Allocator>;

}  // namespace metall::container
