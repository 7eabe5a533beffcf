// Tables as text: values between commas, semicolons or tabs, a row a line.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/formats/array_source.hpp>

namespace perdure::formats {

/// The table, read twice: to find out what it is, and into a temporary file.
///
/// Numbers are an array of rows and columns (of one column: of one dimension), of the smallest of bool,
/// int64, uint64, float64 and complex128 that has them all; a field without anything is not a number. With a
/// line of names above them they are structs, each column of its own type. Texts, and whatever stands in
/// quotation marks, are an array of texts. `type`, if given, is what elements are: a number, a struct with a
/// field for each column, or text. Empty lines are skipped, and those that begin with '#'.
std::unique_ptr<array_source> open_csv(const std::filesystem::path& path,
                                       const std::optional<data_type>& type);

/// An array of up to two dimensions, or of structs in up to one, which get a line of names. Texts stand in
/// quotation marks.
void write_csv(array_source& from, char separator, const byte_sink& to);

}  // namespace perdure::formats
