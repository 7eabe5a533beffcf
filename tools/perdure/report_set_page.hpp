// Sections of a report's page that only sets of stores have.
#pragma once

#include <string>

#include "command.hpp"

namespace perdure::cli {

std::string set_tiles(const json& facts);
std::string set_verification_section(const json& facts);
/// Returns a row for each part, and a chart of their sizes.
std::string parts_section(const json& facts);
std::string set_section(const json& facts);

}  // namespace perdure::cli
