// The pointer that objects in a store use for objects in the same store.
#pragma once

#include <boost/intrusive/pointer_traits.hpp>
#include <memory>
#include <metall/defs.hpp>
#include <perdure/offset_ptr.hpp>
#if PERDURE_METALL_BOOST_OFFSET_PTR
#include <boost/interprocess/offset_ptr.hpp>
#endif

namespace metall {

/// Holds the distance to its target. `static_pointer_cast` and its kind are found by their arguments.
#if PERDURE_METALL_BOOST_OFFSET_PTR
template <typename T>
using offset_ptr = boost::interprocess::offset_ptr<T>;
#else
template <typename T>
using offset_ptr = perdure::offset_ptr<T>;
#endif

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
