// Man pages of commands.
#pragma once

#include <string>

#include "command_description.hpp"

namespace perdure::cli {

/// Returns the name of a command's page: its words, with hyphens between.
std::string man_page_name(const std::string& command_path);

/// Returns the page of a command in section 1, for man. `above` is the path of the command that it is in, if
/// it is in one; `version` stands at the foot, as "perdure 0.1.0". It has no date, so that the same source
/// makes the same page.
std::string man_page(const described_command& command, const std::string& above, const std::string& version);

}  // namespace perdure::cli
