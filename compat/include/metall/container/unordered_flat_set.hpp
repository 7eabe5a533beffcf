// A hash set in a store whose elements lie side by side.
#pragma once

#include <functional>
#include <metall/metall.hpp>
#include <perdure/container/flat_set.hpp>

namespace metall::container {

/// Perdure's own: Boost's cannot keep its elements where offset pointers are needed.
template <class Key, class Hash = std::hash<Key>, class KeyEqual = std::equal_to<Key>,
          class Allocator = manager::allocator_type<Key>>
using unordered_flat_set = perdure::flat_set<Key, Hash, KeyEqual, Allocator>;

}  // namespace metall::container
