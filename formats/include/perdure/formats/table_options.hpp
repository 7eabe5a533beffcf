// How tables of text (CSV) are read.
#pragma once

#include <cstdint>

namespace perdure::formats {

/// Whether the first line of a table has the names of its columns.
enum class header_line : std::uint8_t {
  automatic,  ///< names if they cannot be values; a first line that may be both is refused
  yes,        ///< the first line has the names of the columns
  no,         ///< all lines have values
};

/// Facts about a table that its text does not always tell. What is not given is detected, and refused where
/// the text can be read in two ways.
struct table_options {
  char separator = '\0';  ///< between fields; ' ' is any number of blanks. Not given: '\0'
  char decimal = '\0';    ///< '.' or ',' in numbers. Not given: '\0'
  header_line header = header_line::automatic;  ///< whether the first line names the columns
};

}  // namespace perdure::formats
