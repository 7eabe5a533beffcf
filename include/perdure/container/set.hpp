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
  friend void swap(set& a, set& b) { a.swap(b); }
};
template <class Key, class Compare = std::less<>, class Allocator = allocator<Key>>
class multiset : public detail::locating<boost::container::multiset<Key, Compare, Allocator>> {
  using base = detail::locating<boost::container::multiset<Key, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  friend void swap(multiset& a, multiset& b) { a.swap(b); }
};

}  // namespace perdure
