// Attributes of an array that --store-as has made.
#pragma once

namespace perdure::cli {

inline constexpr const char* made_by = "made by";
inline constexpr const char* of_graph = "graph";

}  // namespace perdure::cli
