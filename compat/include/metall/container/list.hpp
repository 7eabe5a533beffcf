// A doubly linked list in a store.
#pragma once

#include <boost/container/list.hpp>
#include <metall/metall.hpp>

namespace metall::container {

template <class T, class Allocator = manager::allocator_type<T>>
using list = boost::container::list<T, Allocator>;

}  // namespace metall::container
