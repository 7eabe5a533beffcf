// The ranks of a run have one command line.
#pragma once

#include <perdure/graph/ranks/rank_exchange.hpp>

namespace perdure::cli {

/// Collective. Throws `invalid_argument` on all ranks, with the same words, where a rank was started with
/// other words than rank 0. Ranks with different options would wait for each other.
void require_same_command_line(graph::rank_exchange& ranks, int argc, const char* const* argv);

}  // namespace perdure::cli
