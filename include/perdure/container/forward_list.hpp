// A singly linked list for a store.
#pragma once

#include <boost/container/slist.hpp>
#include <perdure/allocator.hpp>

namespace perdure {

/// `boost::container::slist`: the interface of `std::forward_list`, and a `size()` in constant time.
template <class T, class Allocator = allocator<T>>
using forward_list = boost::container::slist<T, Allocator>;

}  // namespace perdure
