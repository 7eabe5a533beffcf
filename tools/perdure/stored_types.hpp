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
  enumeration,     ///< as its only part
  array,           ///< of its only part
  aggregate,       ///< structs and pairs: its parts, at their offsets
  vector,          ///< perdure::vector
  pointer_vector,  ///< with an offset pointer: boost::container::vector, graph::padded_array
  string,          ///< perdure::basic_string<char>
  table,           ///< perdure::flat_map, perdure::flat_set
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
  type_form form = type_form::unknown;
  std::vector<part> parts;
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
  bool may_point_elsewhere(const stored_type& type, unsigned depth) const;

  std::vector<stored_type> types_;
};

}  // namespace perdure::cli
