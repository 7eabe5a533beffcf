// Whether the first line of a table of edges has the names of its columns.
#pragma once

#include <perdure/graph/graph_file.hpp>

#include "sniffer.hpp"

namespace perdure::graph::formats {

/// Decides for text without a mark of its own. Where the options do not say, the first line is a header if
/// - the options name a column by what stands in it,
/// - or it has no number, and the lines that follow have numbers where edges have their ids,
/// - or its fields are parted by commas, semicolons or tabs, or the file is called .csv or .tsv, and one of
/// them is
///   exactly the name of a column that is looked for.
/// Throws `invalid_argument` for a line that may be either.
bool begins_with_header(const file_head& text, const std::filesystem::path& name,
                        const graph_file_options& options);

}  // namespace perdure::graph::formats
