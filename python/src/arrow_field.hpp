// Columns of tables: their types in Arrow's words, and the arrays of a store that have their values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/array/extents.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_abi.hpp"

namespace perdure::python {

/// How the values of a column lie in memory.
enum class arrow_kind : std::uint8_t {
  nothing,     ///< null in every row
  bits,        ///< one bit a value
  fixed,       ///< elements of one size
  bytes,       ///< offsets and bytes: texts and binary values
  views,       ///< string views; converted to `bytes` when they are stored
  list,        ///< offsets into a child
  fixed_list,  ///< so many values of a child each
  structure,   ///< a value of each child
};

/// The layout in memory that a format of Arrow's stands for.
struct arrow_storage {
  arrow_kind kind = arrow_kind::nothing;
  data_type type;             ///< element of `fixed`
  std::uint64_t width = 0;    ///< elements a value where there are several; 0: one
  bool is_large = false;      ///< offsets have 64 bits
  bool is_text = false;       ///< bytes are UTF-8
  std::uint64_t repeats = 0;  ///< values a list of `fixed_list`

  /// Returns the bytes of a value of `fixed`.
  std::size_t size() const { return type.size() * (width == 0 ? 1 : width); }
};

/// Returns what a format means; nothing for one that tables do not have.
std::optional<arrow_storage> storage_of(std::string_view format);

/// The arrays of a column, by their place in `arrow_field::arrays`, and the buffers of an `arrow_piece`.
enum part_of_column : std::size_t { validity, offsets, values, parts_of_column };

/// A column of a table, a part of one, or the table as a struct of its columns.
struct arrow_field {
  std::string name;
  std::string format;
  std::int64_t flags = ARROW_FLAG_NULLABLE;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<arrow_field> children;
  std::vector<arrow_field> dictionary;  ///< one, of a column that is dictionary-encoded, else none
  /// Names of the arrays with its values; empty in what is read from elsewhere.
  std::array<std::string, parts_of_column> arrays;
  std::size_t slot = 0;   ///< place among the fields of a table; see `number_slots`
  arrow_storage storage;  ///< layout of `format`

  bool is_nullable() const noexcept { return (flags & ARROW_FLAG_NULLABLE) != 0; }
};

/// Numbers the fields from 0 on, each before its children, and these before its dictionary. Returns how many
/// there are.
std::size_t number_slots(arrow_field& root);
/// Returns the number of fields: this one and all below it.
std::size_t count_fields(const arrow_field& root);

/// Reads a schema. Throws `bad_input` for one that is malformed. Types that tables do not have are read too,
/// with a storage of `nothing`; `require_known` refuses them.
arrow_field field_of(const ArrowSchema& schema);
/// Throws `wrong_type`, which names the column and its type, for types that tables do not have.
void require_known(const arrow_field& table);
/// Returns the field as a table stores it: string views become texts with offsets.
arrow_field as_stored(arrow_field field);
/// Writes a schema, which owns its memory.
void export_schema(const arrow_field& field, ArrowSchema& to);

/// Returns the type in words, as in `timestamp[us, UTC]`.
std::string type_text(const arrow_field& field);

/// Returns for each column of `stored` which column of `given` has its values. Throws `wrong_type` where a
/// column lacks, is one too many, or is of a type that is not converted.
std::vector<std::size_t> matched_columns(const arrow_field& stored, const arrow_field& given);

}  // namespace perdure::python
