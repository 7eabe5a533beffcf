// A double-ended queue for a store.
#pragma once

#include <boost/container/deque.hpp>
#include <perdure/allocator.hpp>

namespace perdure {

/// `boost::container::deque`, the interface of `std::deque`.
template <class T, class Allocator = allocator<T>>
using deque = boost::container::deque<T, Allocator>;

}  // namespace perdure
