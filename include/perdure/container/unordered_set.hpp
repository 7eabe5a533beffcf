// Node-based hash sets for a store: slower than flat_set, but elements never move.
#pragma once

#include <boost/unordered/unordered_set.hpp>
#include <perdure/allocator.hpp>
#include <perdure/hash.hpp>

namespace perdure {

/// `boost::unordered_set`, the interface of `std::unordered_set`.
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
using unordered_set = boost::unordered_set<Key, Hash, KeyEqual, Allocator>;
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
using unordered_multiset = boost::unordered_multiset<Key, Hash, KeyEqual, Allocator>;

}  // namespace perdure
