// The header of KONECT's lists of edges: two comments.
//
//     % bip weighted              or sym, asym
//     % 58595 16726 22015         edges, vertices on the left, and on the right; may be missing
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perdure::graph::formats {

struct konect_header {
  enum class structure { symmetric, asymmetric, bipartite };

  structure kind = structure::asymmetric;
  std::optional<std::uint64_t> left;  ///< vertices that edges begin at, where the header says so
};

/// The header that a text begins with; nothing if that is none.
std::optional<konect_header> konect_header_of(std::string_view text);

}  // namespace perdure::graph::formats
