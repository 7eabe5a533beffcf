// The record of an object's type in a store, so that it is never read as another type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/detail/type_layout.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace perdure {

/// Identity of a type across programs: its mangled name (the same for every compiler of the Itanium C++
/// ABI) and what of its layout the language lets us see: its size, and the types of its elements, halves and
/// members, and of theirs (the members of aggregates without bases, up to 40 of each; for other classes their
/// authors have `layout_version`). Adding a constructor or member function to a type does not change its
/// stamp; neither does another name for a member, unless it is one that another member had.
struct type_stamp {
  std::string_view name;            ///< mangled
  std::size_t size = 0;             ///< bytes of one element
  std::size_t alignment = 0;        ///< bytes
  std::uint32_t version = 0;        ///< `layout_version`
  bool trivially_copyable = false;  ///< whether objects may be copied as bytes
  std::uint64_t name_hash = 0;      ///< hash of `name`, the same on every machine
  std::uint64_t own_hash = 0;       ///< hash of everything above
  std::string layout = {};          ///< content in words, as `detail::describe_type` says it
  std::uint64_t hash = 0;           ///< hash of everything above but the names of members
  std::string form = {};            ///< how its bytes are read, for programs that list objects
  bool layout_known = true;         ///< `layout_is_known`; not stored
};

/// A tag for `manager::find` and `destroy`: the object may have been stored as a type of another name, if
/// size, alignment and everything inside but the names of members agree. It serves to convert what was stored
/// as a type that has changed.
struct same_layout_t {
  explicit same_layout_t() = default;
};
/// The tag for `manager::find` and `destroy`.
inline constexpr same_layout_t same_layout{};

/// Returns a type's name as its author wrote it. Text that is no mangled name comes back unchanged.
std::string demangle(std::string_view mangled);
/// Returns a demangled name without what its templates' defaults say: `perdure::vector<long>` for
/// `perdure::vector<long, perdure::allocator<long> >`. Text that is no such name comes back unchanged.
std::string short_type_name(std::string_view demangled);

namespace detail {
/// The part of a stored type that must be equal in this program.
enum class type_match { whole, layout };

type_stamp make_type_stamp(const char* name, std::size_t size, std::size_t alignment, std::uint32_t version,
                           bool trivially_copyable, type_description inside = {});

/// Whether this is what a store recorded of the type: its hash, and what is inside, empty where that is not
/// known.
bool is_stamp_of(std::uint64_t hash, std::string_view layout, const type_stamp& type);
}  // namespace detail

/// Returns the stamp of `T`. Computed once; thread-safe.
template <class T>
const type_stamp& type_stamp_of() {
  static const type_stamp stamp = [] {
    type_stamp made = detail::make_type_stamp(typeid(T).name(), sizeof(T), alignof(T), layout_version<T>,
                                              std::is_trivially_copyable_v<T>, detail::describe_type<T>());
    made.layout_known = layout_is_known<T>;
    return made;
  }();
  return stamp;
}

}  // namespace perdure
