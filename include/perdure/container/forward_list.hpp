// A singly linked list for a store.
#pragma once

#include <boost/container/slist.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/perdure_fwd.hpp>

namespace perdure {

/// `boost::container::slist`: the interface of `std::forward_list`, and a `size()` in constant time.
template <class T, class Allocator>
class forward_list : public detail::locating<boost::container::slist<T, Allocator>> {
  using base = detail::locating<boost::container::slist<T, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(forward_list& a, forward_list& b) { a.swap(b); }
};

}  // namespace perdure
