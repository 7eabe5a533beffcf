// A first-in, first-out adaptor in a store.
#pragma once

#include <metall/container/deque.hpp>
#include <queue>

namespace metall::container {

/// Made from an allocator.
template <class T, class Container = deque<T>>
using queue = std::queue<T, Container>;

}  // namespace metall::container
