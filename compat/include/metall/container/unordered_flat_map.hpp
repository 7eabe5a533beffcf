// A hash map in a store whose elements lie side by side.
#pragma once

#include <functional>
#include <metall/metall.hpp>
#include <perdure/container/flat_map.hpp>
#include <utility>

namespace metall::container {

/// Perdure's own: Boost's cannot keep its elements where offset pointers are needed.
template <class Key, class T, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<std::pair<const Key, T>>>
using unordered_flat_map = perdure::flat_map<Key, T, Hash, KeyEqual, Allocator>;

}  // namespace metall::container
