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
};
template <class Key, class Mapped, class Compare = std::less<>,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class multimap : public detail::locating<boost::container::multimap<Key, Mapped, Compare, Allocator>> {
  using base = detail::locating<boost::container::multimap<Key, Mapped, Compare, Allocator>>;

 public:
  using base::base;
  using base::operator=;
};

}  // namespace perdure
