// Ordered sets for a store.
#pragma once

#include <boost/container/set.hpp>
#include <functional>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>

namespace perdure {

/// `boost::container::set`, the interface of `std::set`. The default order is transparent: a string key is
/// found by a string view.
template <class Key, class Compare = std::less<>, class Allocator = allocator<Key>>
class set : public detail::locating<boost::container::set<Key, Compare, Allocator>> {
  using base = detail::locating<boost::container::set<Key, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(set& a, set& b) { a.swap(b); }
};
/// `boost::container::multiset`, the interface of `std::multiset`: as `set`, but an element may be there
/// several times.
template <class Key, class Compare = std::less<>, class Allocator = allocator<Key>>
class multiset : public detail::locating<boost::container::multiset<Key, Compare, Allocator>> {
  using base = detail::locating<boost::container::multiset<Key, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers, as of `set`.
  friend void swap(multiset& a, multiset& b) { a.swap(b); }
};

}  // namespace perdure
