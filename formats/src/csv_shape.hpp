// Facts about a table of text, found out before its values are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/data_type.hpp>
#include <perdure/formats/table_options.hpp>
#include <string>
#include <vector>

#include "csv_columns.hpp"
#include "csv_rows.hpp"
#include "input_file.hpp"

namespace perdure::formats {

struct csv_shape {
  char separator = ',';
  char decimal = '.';
  std::uint64_t rows = 0;  ///< without the names
  std::size_t columns = 0;
  bool has_header = false;
  std::vector<std::string> names;   ///< names of the columns, if there is a line of them
  std::vector<csv_column> kinds;    ///< facts about the values of each column
  std::uint64_t text_bytes = 0;     ///< bytes of all fields
  std::uint64_t comments = 0;       ///< lines that are left out
  std::uint64_t first_comment = 0;  ///< the line of the first of them
};

/// Finds out what a table is. `type`, if it is set, is what its elements shall be. `bad_input`, `io`.
csv_shape shape_of_csv(const input_file& file, const std::optional<data_type>& type,
                       const table_options& options);

}  // namespace perdure::formats
