// First-in, first-out and priority adaptors for a store.
#pragma once

#include <perdure/container/deque.hpp>
#include <perdure/container/vector.hpp>
#include <queue>

namespace perdure {

/// `std::queue` over a container of the store; made from an allocator.
template <class T, class Container = deque<T>>
using queue = std::queue<T, Container>;
/// `std::priority_queue` over a vector of the store; made from an allocator.
template <class T, class Container = vector<T>, class Compare = std::less<typename Container::value_type>>
using priority_queue = std::priority_queue<T, Container, Compare>;

}  // namespace perdure
