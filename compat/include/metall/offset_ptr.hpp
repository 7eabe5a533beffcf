// The pointer that objects in a store use for objects in the same store.
#pragma once

#include <boost/intrusive/pointer_traits.hpp>
#include <memory>
#include <perdure/offset_ptr.hpp>

namespace metall {

/// Holds the distance to its target. `static_pointer_cast` and its kind are found by their arguments.
template <typename T>
using offset_ptr = perdure::offset_ptr<T>;

/// The raw pointer, valid while the store is open.
template <typename T>
T* to_raw_pointer(const offset_ptr<T>& pointer) noexcept {
  return pointer.get();
}
template <typename T>
T* to_raw_pointer(T* const pointer) noexcept {
  return pointer;
}

}  // namespace metall
