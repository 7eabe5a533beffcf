// A vector in a store.
#pragma once

#include <boost/container/vector.hpp>
#include <metall/metall.hpp>

namespace metall::container {

template <class T, class Allocator = manager::allocator_type<T>>
using vector = boost::container::vector<T, Allocator>;

}  // namespace metall::container
