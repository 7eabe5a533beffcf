// A sequence with random access whose elements never move, for a store.
#pragma once

#include <boost/container/stable_vector.hpp>
#include <perdure/allocator.hpp>

namespace perdure {

/// `boost::container::stable_vector`: references and iterators stay valid until their element is erased.
template <class T, class Allocator = allocator<T>>
using stable_vector = boost::container::stable_vector<T, Allocator>;

}  // namespace perdure
