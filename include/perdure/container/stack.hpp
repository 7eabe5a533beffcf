// A last-in, first-out adaptor for a store.
#pragma once

#include <perdure/container/deque.hpp>
#include <stack>

namespace perdure {

/// `std::stack` over a container of the store; made from an allocator: `stack<int>
/// s(store.get_allocator<int>())`.
template <class T, class Container = deque<T>>
using stack = std::stack<T, Container>;

}  // namespace perdure
