// Tables as text: values between separators, a row a line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <perdure/formats/array_source.hpp>
#include <perdure/formats/table_options.hpp>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Size of the pieces in which files are read and written.
inline constexpr std::size_t csv_buffer_bytes = std::size_t{1} << 18;

/// Opens a table. It is read twice: to find out what it is, and into a temporary file.
///
/// - Columns of numbers without names are an array of rows and columns (of one column: of one dimension), of
///   the smallest of bool, int64, uint64, float64 and complex128 that has them all. An empty field is NaN.
/// - Columns with names, and columns of different kinds, are structs with a field for each column. Texts of a
///   column are of the length of its longest one. Columns without names are called f0, f1 and so on.
/// - A table of texts alone, without names, is an array of texts. What stands in quotation marks is a text.
///
/// `type`, if given, is what elements are: a number, a text, or a struct with a field for each column. Empty
/// lines are skipped, and those that begin with '#'. `bad_input`, which names the line, for a number that may
/// be another one (1_000, or 1,234 between semicolons), for a first line that may be names or values, and for
/// separators that cannot be told apart.
opened_arrays open_csv(const std::filesystem::path& path, const std::optional<data_type>& type,
                       const table_options& options);

/// Returns the least number of bytes that `write_csv` gives: a character and a separator for each value. 0
/// for elements of any length.
std::uint64_t least_csv_bytes(const array_description& what);
/// Writes an array of up to two dimensions, or of structs in up to one, which get a line of names. Texts
/// stand in quotation marks.
void write_csv(array_source& from, char separator, const byte_sink& to);

}  // namespace perdure::formats
