// What a store records about the type of each object, so that it is never read as another type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace perdure {

/// Specialise for a type whose meaning changed while its size did not; objects stored under another
/// version are refused with `errc::wrong_type`.
///
///     template <> inline constexpr std::uint32_t perdure::layout_version<my_type> = 2;
template <class T>
inline constexpr std::uint32_t layout_version = 0;

/// Identity of a type across programs: its mangled name (the same for every compiler of the Itanium C++
/// ABI) and what of its layout the language lets us see. Adding a constructor or member function to a
/// type does not change its stamp.
struct type_stamp {
  std::string_view name;      ///< mangled
  std::size_t size = 0;       ///< bytes of one element
  std::size_t alignment = 0;  ///< bytes
  std::uint32_t version = 0;  ///< `layout_version`
  bool trivially_copyable = false;
  std::uint64_t name_hash = 0;  ///< of `name`, the same on every machine
  std::uint64_t hash = 0;       ///< of everything above
};

/// A type's name as its author wrote it. Text that is no mangled name comes back unchanged.
std::string demangle(std::string_view mangled);

namespace detail {
type_stamp make_type_stamp(const char* name, std::size_t size, std::size_t alignment, std::uint32_t version,
                           bool trivially_copyable);
}  // namespace detail

/// The stamp of `T`. Computed once; thread-safe.
template <class T>
const type_stamp& type_stamp_of() {
  static const type_stamp stamp = detail::make_type_stamp(typeid(T).name(), sizeof(T), alignof(T),
                                                          layout_version<T>, std::is_trivially_copyable_v<T>);
  return stamp;
}

}  // namespace perdure
