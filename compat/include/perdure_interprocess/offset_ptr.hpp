// Perdure's pointer that survives being mapped at another address, under Boost's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <perdure/offset_ptr.hpp>

namespace perdure_interprocess {

inline constexpr std::size_t offset_type_alignment = 0;

/// The types of difference and offset and the alignment are accepted and have no effect: an offset is
/// always a machine word.
template <class T, class DifferenceType = std::ptrdiff_t, class OffsetType = std::uintptr_t,
          std::size_t Alignment = offset_type_alignment>
using offset_ptr = perdure::offset_ptr<T>;

}  // namespace perdure_interprocess

// Where Boost has them.
namespace boost {

template <class T, class U>
perdure::offset_ptr<T> static_pointer_cast(const perdure::offset_ptr<U>& p) noexcept {
  return static_cast<T*>(p.get());
}
template <class T, class U>
perdure::offset_ptr<T> const_pointer_cast(const perdure::offset_ptr<U>& p) noexcept {
  return const_cast<T*>(p.get());
}
template <class T, class U>
perdure::offset_ptr<T> dynamic_pointer_cast(const perdure::offset_ptr<U>& p) noexcept {
  return dynamic_cast<T*>(p.get());
}
template <class T, class U>
perdure::offset_ptr<T> reinterpret_pointer_cast(const perdure::offset_ptr<U>& p) noexcept {
  return reinterpret_cast<T*>(p.get());
}

}  // namespace boost

namespace perdure {

/// The address, as of a plain pointer. Boost's shared pointers print themselves through it.
template <class Char, class Traits, class T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& to, const offset_ptr<T>& p) {
  return to << static_cast<const void*>(p.get());
}

}  // namespace perdure
