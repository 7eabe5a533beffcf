// Ordered sets for a store.
#pragma once

#include <boost/container/set.hpp>
#include <functional>
#include <perdure/allocator.hpp>

namespace perdure {

/// `boost::container::set`, the interface of `std::set`. The default order is transparent: a string key is
/// found by a string view.
template <class Key, class Compare = std::less<>, class Allocator = allocator<Key>>
using set = boost::container::set<Key, Compare, Allocator>;
template <class Key, class Compare = std::less<>, class Allocator = allocator<Key>>
using multiset = boost::container::multiset<Key, Compare, Allocator>;

}  // namespace perdure
