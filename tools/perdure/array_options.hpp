// Options that commands on arrays share.
#pragma once

#include <perdure/array/extents.hpp>
#include <perdure/formats/file_format.hpp>
#include <string>

#include "command.hpp"

namespace perdure::cli {

/// Adds `--format`; without it the file's content or name tells.
void add_file_format_option(command target, formats::file_format& format);
/// "64,64,1". `usage_error`.
extents parse_chunk(const std::string& text);

}  // namespace perdure::cli
