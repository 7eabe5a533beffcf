// Numbers for vertices that the input calls by ids, over all ranks.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph::detail {

/// Ids numbered 0, 1, 2, … in ascending order over all ranks.
struct id_numbers {
  std::vector<std::uint64_t> bounds;  ///< ranges of numbers whose ids each rank has
  std::vector<vertex_id> own;         ///< the ids of this rank's range
  std::vector<std::uint64_t> asked;   ///< the number of each id that this rank has given
};

/// Collective. Numbers all ids that ranks give. Each gives its own once, in ascending order; several may give
/// the same. O(ids log ranks); sends each id once, and its number back.
id_numbers number_ids(const std::vector<vertex_id>& given, rank_exchange& ranks);

}  // namespace perdure::graph::detail
