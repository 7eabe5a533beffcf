// Options that commands on arrays share.
#pragma once

#include <perdure/array/extents.hpp>
#include <perdure/formats/file_format.hpp>
#include <perdure/formats/table_options.hpp>
#include <string>

#include "command.hpp"

namespace perdure::cli {

/// Adds `--format`; without it the file's content or name tells.
void add_file_format_option(command target, formats::file_format& format);
/// Adds `--separator`, `--decimal` and `--header`, by which tables of text are read.
void add_table_options(command target, formats::table_options& table);
/// "64,64,1". `usage_error`.
extents parse_chunk(const std::string& text);

}  // namespace perdure::cli
