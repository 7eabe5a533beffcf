// Ranks that are threads of one process.
#pragma once

#include <functional>
#include <perdure/graph/ranks/rank_exchange.hpp>

namespace perdure::graph {

/// Calls `work` in `ranks` threads, each of which is a rank, and returns when all have ended. If a call
/// throws, the next collective call of the others throws too, and the first error is rethrown. Throws
/// `errc::invalid_argument` unless there is at least one rank.
void run_thread_ranks(int ranks, const std::function<void(rank_exchange&)>& work);

}  // namespace perdure::graph
