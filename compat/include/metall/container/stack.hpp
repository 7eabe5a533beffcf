// A last-in, first-out adaptor in a store.
#pragma once

#include <metall/container/deque.hpp>
#include <stack>

namespace metall::container {

/// Made from an allocator.
template <class T, class Container = deque<T>>
using stack = std::stack<T, Container>;

}  // namespace metall::container
