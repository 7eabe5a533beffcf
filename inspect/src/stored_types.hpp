// The types of stored objects, as far as the store tells what is inside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/object_info.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::cli {

/// How the bytes of a type are read.
enum class type_form {
  unknown,
  boolean,
  character,
  signed_integer,
  unsigned_integer,
  floating,
  enumeration,   ///< enumerations and std::atomic: as their only part
  array,         ///< of its only part
  aggregate,     ///< structs and pairs: its parts, at their offsets
  tuple,         ///< std::tuple, likewise
  optional,      ///< std::optional: its only part, and whether it is there behind that
  vector,        ///< perdure::vector
  boost_vector,  ///< boost::container::vector, and what has one in it: flat_map, flat_set;
                 ///< graph::padded_array
  std_vector,    ///< std::vector
  string,        ///< perdure::basic_string<char>
  boost_string,  ///< boost::container::basic_string<char>
  std_string,    ///< std::basic_string<char>
  table,         ///< perdure::flat_map, perdure::flat_set
  deque,         ///< Boost's and std's; only the number of elements is read
  counted,       ///< lists, trees and hash tables; only the number of elements is read
};

constexpr bool is_string(type_form form) noexcept {
  return form == type_form::string || form == type_form::boost_string || form == type_form::std_string;
}
/// A container of which the program reads the number of elements, but not the elements.
constexpr bool is_only_counted(type_form form) noexcept {
  return form == type_form::deque || form == type_form::counted;
}

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
  type_form form = type_form::unknown;
  std::vector<part> parts;
  /// Its pointers are addresses, as in a pinned store. Else they are distances.
  bool holds_addresses = false;
  /// Where the number of elements of one that is counted is; of a deque, where its first iterator begins.
  std::uint64_t number_at = 0;
  /// Whether something in it may own memory elsewhere.
  bool points_elsewhere = true;
};

/// Of one object. The first is the object's own. Nothing that was read is trusted: what contradicts itself is
/// `unknown`.
class stored_types {
 public:
  explicit stored_types(const object_info& object);

  const stored_type& operator[](std::size_t type) const noexcept { return types_[type]; }

 private:
  void read(std::string_view layout);
  std::size_t find(std::string_view name) const noexcept;
  void recognise(stored_type& type) const;
  bool place(stored_type::part& one, std::uint64_t& end, std::uint64_t size) const;
  bool place_parts(stored_type& type) const;
  bool place_tuple(stored_type& type) const;
  bool may_point_elsewhere(const stored_type& type, unsigned depth) const;

  std::vector<stored_type> types_;
};

}  // namespace perdure::cli
