// Ordered maps for a store.
#pragma once

#include <boost/container/map.hpp>
#include <functional>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <utility>

namespace perdure {

/// `boost::container::map`, the interface of `std::map`. The default order is transparent: a string key is
/// found by a string view.
template <class Key, class Mapped, class Compare = std::less<>,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class map : public detail::locating<boost::container::map<Key, Mapped, Compare, Allocator>> {
  using base = detail::locating<boost::container::map<Key, Mapped, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(map& a, map& b) { a.swap(b); }

  using base::operator[];
  /// A string view makes a string of itself only where there is none yet.
  template <detail::stands_for_a_key_of<base> K>
  Mapped& operator[](const K& key) {
    auto place = this->find(key);
    if (place == this->end()) place = this->try_emplace(Key(key)).first;
    return place->second;
  }
};
/// `boost::container::multimap`, the interface of `std::multimap`: as `map`, but a key may be there several
/// times.
template <class Key, class Mapped, class Compare = std::less<>,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class multimap : public detail::locating<boost::container::multimap<Key, Mapped, Compare, Allocator>> {
  using base = detail::locating<boost::container::multimap<Key, Mapped, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers, as of `map`.
  friend void swap(multimap& a, multimap& b) { a.swap(b); }
};

}  // namespace perdure
