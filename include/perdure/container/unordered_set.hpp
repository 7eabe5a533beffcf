// Node-based hash sets for a store: slower than flat_set, but elements never move.
#pragma once

#include <boost/unordered/unordered_set.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/hash.hpp>

namespace perdure {

/// `boost::unordered_set`, the interface of `std::unordered_set`.
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
class unordered_set : public detail::locating<boost::unordered_set<Key, Hash, KeyEqual, Allocator>> {
  using base = detail::locating<boost::unordered_set<Key, Hash, KeyEqual, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(unordered_set& a, unordered_set& b) { a.swap(b); }
};
/// `boost::unordered_multiset`, the interface of `std::unordered_multiset`: as `unordered_set`, but an
/// element may be there several times.
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
class unordered_multiset
    : public detail::locating<boost::unordered_multiset<Key, Hash, KeyEqual, Allocator>> {
  using base = detail::locating<boost::unordered_multiset<Key, Hash, KeyEqual, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers, as of `unordered_set`.
  friend void swap(unordered_multiset& a, unordered_multiset& b) { a.swap(b); }
};

}  // namespace perdure
