// A sequence with random access whose elements never move, for a store.
#pragma once

#include <boost/container/stable_vector.hpp>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/locating.hpp>
#include <perdure/perdure_fwd.hpp>

namespace perdure {

/// `boost::container::stable_vector`: references and iterators stay valid until their element is erased.
template <class T, class Allocator>
class stable_vector : public detail::locating<boost::container::stable_vector<T, Allocator>> {
  using base = detail::locating<boost::container::stable_vector<T, Allocator>>;

 public:
  using base::base;
  using base::operator=;
  /// Exchanges two containers: in constant time between equal allocators, by copies otherwise.
  friend void swap(stable_vector& a, stable_vector& b) { a.swap(b); }
};

}  // namespace perdure
