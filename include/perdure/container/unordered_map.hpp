// Node-based hash maps for a store: slower than flat_map, but elements never move.
#pragma once

#include <boost/unordered/unordered_map.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/hash.hpp>
#include <utility>

namespace perdure {

/// `boost::unordered_map`, the interface of `std::unordered_map`.
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class unordered_map : public detail::locating<boost::unordered_map<Key, Mapped, Hash, KeyEqual, Allocator>> {
  using base = detail::locating<boost::unordered_map<Key, Mapped, Hash, KeyEqual, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(unordered_map& a, unordered_map& b) { a.swap(b); }

  using base::operator[];
  /// A string view makes a string of itself only where there is none yet.
  template <detail::stands_for_a_key_of<base> K>
  Mapped& operator[](const K& key) {
    auto place = this->find(key);
    if (place == this->end()) place = this->try_emplace(Key(key)).first;
    return place->second;
  }
};
/// `boost::unordered_multimap`, the interface of `std::unordered_multimap`: as `unordered_map`, but a key may
/// be there several times.
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class unordered_multimap
    : public detail::locating<boost::unordered_multimap<Key, Mapped, Hash, KeyEqual, Allocator>> {
  using base = detail::locating<boost::unordered_multimap<Key, Mapped, Hash, KeyEqual, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers, as of `unordered_map`.
  friend void swap(unordered_multimap& a, unordered_multimap& b) { a.swap(b); }
};

}  // namespace perdure
