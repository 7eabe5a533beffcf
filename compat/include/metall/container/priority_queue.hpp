// A priority queue in a store.
#pragma once

#include <functional>
#include <metall/container/vector.hpp>
#include <queue>

namespace metall::container {

/// Made from an allocator, or from an order and an allocator. The order is the one that was asked for.
template <class T, class Container = vector<T>, class Compare = std::less<typename Container::value_type>>
using priority_queue = std::priority_queue<T, Container, Compare>;

}  // namespace metall::container
