// A doubly linked list for a store.
#pragma once

#include <boost/container/list.hpp>
#include <perdure/allocator.hpp>

namespace perdure {

/// `boost::container::list`, the interface of `std::list`.
template <class T, class Allocator = allocator<T>>
using list = boost::container::list<T, Allocator>;

}  // namespace perdure
