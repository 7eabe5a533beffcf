// The help of a command, as wide as the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "command_description.hpp"

namespace perdure::cli {

/// Breaks a paragraph into lines of at most `width` columns, unless a word alone is longer. Each line begins
/// with `indent` blanks, but the first one begins where the caller has got to: at column `begin`.
std::string wrapped(std::string_view paragraph, std::size_t indent, std::size_t begin, std::size_t width);

/// Returns the help of a command. `has_style`: headings are in bold type.
std::string help_text(const described_command& command, std::size_t width, bool has_style);

}  // namespace perdure::cli
