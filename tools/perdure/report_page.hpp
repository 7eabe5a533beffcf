// The page of a report.
#pragma once

#include <string>

#include "command.hpp"

namespace perdure::cli {

/// Returns a page of HTML, in one file without scripts, that shows the facts of `facts_for_report`. Its size
/// is bounded by the rows of the facts. It is well-formed XML but for its first line.
std::string report_page(const json& facts);

}  // namespace perdure::cli
