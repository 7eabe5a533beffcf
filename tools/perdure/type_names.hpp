// Names of objects and types as people read them on a terminal.
#pragma once

#include <string>

namespace perdure::cli {

/// Names may hold any bytes; a terminal must not see control characters.
std::string printable_name(const std::string& name);

/// Returns a stored type in words: "map from text to vector of int32". A type of a program keeps its name.
/// `type` is demangled.
std::string type_in_words(const std::string& type);

}  // namespace perdure::cli
