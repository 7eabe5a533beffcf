// Ordered maps for a store.
#pragma once

#include <boost/container/map.hpp>
#include <functional>
#include <perdure/allocator.hpp>
#include <utility>

namespace perdure {

/// `boost::container::map`, the interface of `std::map`. The default order is transparent: a string key is
/// found by a string view.
template <class Key, class Mapped, class Compare = std::less<>,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
using map = boost::container::map<Key, Mapped, Compare, Allocator>;
template <class Key, class Mapped, class Compare = std::less<>,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
using multimap = boost::container::multimap<Key, Mapped, Compare, Allocator>;

}  // namespace perdure
