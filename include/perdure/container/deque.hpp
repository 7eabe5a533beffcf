// A double-ended queue for a store.
#pragma once

#include <boost/container/deque.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/perdure_fwd.hpp>

namespace perdure {

/// `boost::container::deque`, the interface of `std::deque`.
template <class T, class Allocator>
class deque : public detail::locating<boost::container::deque<T, Allocator>> {
  using base = detail::locating<boost::container::deque<T, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(deque& a, deque& b) { a.swap(b); }
};

}  // namespace perdure
