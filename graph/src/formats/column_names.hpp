// Names of columns of edges.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph::formats {

/// Stands in options for a column where there is to be none.
inline constexpr std::string_view no_column = "none";

enum class column_role { source, target, weight, time };

/// The only column with that role by its name, whatever the case; or else the only one that begins with the
/// role's own name ("source_id"). `absent`: none, or several.
std::size_t column_called(const std::vector<std::string>& header, column_role role, std::size_t absent);

/// Returns whether a field is exactly the name of a column, without digits; two of them where that is a
/// single letter.
bool names_a_column(const std::vector<std::string>& fields);
/// Returns whether one field is exactly the name of where edges begin, and one of where they lead, in more
/// than a letter.
bool names_both_ends(const std::vector<std::string>& fields);
/// The same of what begins with "source" or "src", and with "target" or "dst".
bool names_both_ends_nearly(const std::vector<std::string>& fields);

}  // namespace perdure::graph::formats
