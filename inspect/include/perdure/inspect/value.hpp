// Stored values as they are read without the types that wrote them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace perdure::inspect {

/// A value in a store: a number, a text, or a tree of them.
///
///     if (const auto* const record = std::get_if<inspect::value::record>(&one.held))
///       for (const auto& [name, member] : record->fields) ...
struct value {
  struct field;

  /// An optional that holds nothing.
  struct nothing {};
  /// Characters of a string, or of an array of them up to its first zero byte.
  struct text {
    std::string characters;  ///< the characters, without a zero byte at the end
    std::uint64_t more = 0;  ///< characters behind these that were not read
  };
  /// Elements of a container, an array or a tuple.
  struct list {
    std::vector<value> elements;  ///< the elements that were read, in their order
    std::uint64_t more = 0;       ///< elements behind these that were not read
  };
  /// Members of a class by their names, in the order of their declaration.
  struct record {
    std::vector<field> fields;  ///< the members
  };
  /// A value of a type whose bytes the store does not explain, or a container whose elements are only
  /// counted.
  struct opaque {
    std::string type;                       ///< name that its author wrote, without default arguments
    std::uint64_t bytes = 0;                ///< size of the value itself
    std::optional<std::uint64_t> elements;  ///< number of elements of a container
  };
  /// A value that leads out of the store or contradicts itself.
  struct damaged {};
  /// A value that was not read because very many others were.
  struct left_out {};

  /// Enumerations and atomics are the numbers they hold; a character is a text.
  std::variant<nothing, bool, std::int64_t, std::uint64_t, float, double, text, list, record, opaque, damaged,
               left_out>
      held;
};

/// A member of a class: its name and its value.
struct value::field {
  std::string name;  ///< name of the member
  value held;        ///< value of the member
};

}  // namespace perdure::inspect
