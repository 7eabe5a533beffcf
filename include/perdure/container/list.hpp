// A doubly linked list for a store.
#pragma once

#include <boost/container/list.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/perdure_fwd.hpp>

namespace perdure {

/// `boost::container::list`, the interface of `std::list`.
template <class T, class Allocator>
class list : public detail::locating<boost::container::list<T, Allocator>> {
  using base = detail::locating<boost::container::list<T, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(list& a, list& b) { a.swap(b); }
};

}  // namespace perdure
