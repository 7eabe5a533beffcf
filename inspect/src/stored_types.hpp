// The types of a stored object, as far as the store says what is inside them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <perdure/object_info.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::inspect {

inline constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

/// How the bytes of a type are read.
enum class type_form {
  unknown,
  boolean,
  character,
  signed_integer,
  unsigned_integer,
  floating,
  same,          ///< like its only part: enumerations, std::atomic, classes that say so
  elements,      ///< a fixed number of its only part
  members,       ///< structs and pairs: its parts, at their offsets
  tuple,         ///< std::tuple, likewise
  optional,      ///< std::optional: its only part, and whether it is there behind that
  array,         ///< elements in one block: `places` has the pointer, their number and the capacity
  std_vector,    ///< std::vector
  string,        ///< perdure::basic_string<char>: `places` has its words
  boost_string,  ///< boost::container::basic_string<char>
  std_string,    ///< std::basic_string<char>
  table,         ///< perdure::flat_map, flat_set: `places` has the size, the distance and the mask
  deque,         ///< Boost's and std's, counted: `places` has the first iterator
  counted,       ///< lists, trees and hash tables: `places` has the number of elements
};

constexpr bool is_string(type_form form) noexcept {
  return form == type_form::string || form == type_form::boost_string || form == type_form::std_string;
}
/// Returns whether the number of elements is read, but not the elements.
constexpr bool is_only_counted(type_form form) noexcept {
  return form == type_form::deque || form == type_form::counted;
}

/// Content of a container's pointer.
enum class pointer_form {
  distance_from_object,   ///< from the container's first byte
  distance_from_pointer,  ///< `offset_ptr`
  address                 ///< used by pinned stores
};

struct stored_type {
  struct part {
    std::string label;
    std::size_t type = 0;
    std::uint64_t offset = 0;
  };

  std::string name;  ///< mangled
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  bool trivially_copyable = false;
  std::string kind = "-";  ///< the recorded kind; "-" where the type is known by its name alone
  type_form form = type_form::unknown;
  std::vector<part> parts;
  pointer_form pointers = pointer_form::distance_from_pointer;
  std::array<std::uint64_t, 3> places = {};  ///< offsets of what the form reads
  /// Whether something in it may own memory elsewhere.
  bool points_elsewhere = true;
};

/// The types in one object. The first is the object's own. Nothing that was read is trusted: a type that
/// contradicts itself is `unknown`.
class stored_types {
 public:
  explicit stored_types(const object_info& object);

  const stored_type& operator[](std::size_t type) const noexcept { return types_[type]; }

 private:
  void read(std::string_view text);
  std::size_t find(std::string_view name) const noexcept;
  void recognise(stored_type& type) const;
  bool take_recorded_kind(stored_type& type) const;
  void recognise_by_name(stored_type& type) const;
  bool place(stored_type::part& one, std::uint64_t& end, std::uint64_t size) const;
  bool place_parts(stored_type& type) const;
  bool place_tuple(stored_type& type) const;
  void place_fields(std::size_t type, const data_type& fields);
  bool may_point_elsewhere(const stored_type& type) const;

  std::vector<stored_type> types_;
};

}  // namespace perdure::inspect
