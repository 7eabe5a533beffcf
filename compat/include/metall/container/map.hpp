// Ordered maps in a store.
#pragma once

#include <boost/container/map.hpp>
#include <functional>
#include <metall/metall.hpp>
#include <utility>

namespace metall::container {

template <class Key, class T, class Compare = std::less<Key>,
          class Allocator = manager::allocator_type<std::pair<const Key, T>>>
using map = boost::container::map<Key, T, Compare, Allocator>;
template <class Key, class T, class Compare = std::less<Key>,
          class Allocator = manager::allocator_type<std::pair<const Key, T>>>
using multimap = boost::container::multimap<Key, T, Compare, Allocator>;

}  // namespace metall::container
