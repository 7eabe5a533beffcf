// Communities of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// Messages of one rank in one sweep, in which every vertex may change its community once. Tests check for
/// each sweep of many graphs that all ranks together send at most 16 bytes for each changed ghost and 32 for
/// each remote community. Numbers take as many bytes as they need, so this is not a bound for arbitrary
/// weights.
struct louvain_sweep {
  std::uint64_t changed_ghosts = 0;  ///< ghosts (vertices of other ranks, seen here) that changed
  /// Communities of vertices seen here whose sums other ranks keep.
  std::uint64_t remote_communities = 0;
  std::uint64_t bytes_sent = 0;  ///< bytes that this rank sent
};

/// Answer of `louvain` on a graph of ranks.
struct rank_community_result {
  std::vector<vertex_id> labels;  ///< smallest vertex number in the community of each own vertex
  community_summary summary;      ///< counts for the whole graph, the same on all ranks
  /// All sweeps of this rank, in all levels and starts; empty if there is one rank.
  std::vector<louvain_sweep> sweeps;
  /// The levels from the finest to the last, which is the answer. Empty without `keep_levels`.
  std::vector<community_level<vertex_id>> levels;
};

/// Collective. Finds communities of the underlying simple graph by Louvain's method on all its levels
/// (`louvain` of `communities.hpp`). The answer is the one that `louvain` finds for the same graph and
/// options in one process, for any number of ranks and threads. With `options.starts` of 0 there are as many
/// starts as in one process.
///
/// In each half-step, ranks with edges between their vertices exchange the labels of changed vertices that
/// other ranks see, the changes of communities of other ranks, and the sums of communities that changed. Each
/// number takes as few bytes as it needs (`louvain_sweep`).
///
/// Throws `errc::invalid_argument` on all ranks for a graph that is divided among other ranks, and for
/// weights and options that `louvain` refuses.
rank_community_result louvain(const rank_graph& graph, rank_exchange& ranks,
                              const louvain_options& options = {});

/// Collective. Finds communities from given ones, like `louvain_from` of `communities.hpp` and with its
/// answer. `start` has the number of a vertex in the whole graph for each own vertex (`match_labels`).
rank_community_result louvain_from(const rank_graph& graph, const std::vector<vertex_id>& start,
                                   rank_exchange& ranks, const louvain_options& options = {});

}  // namespace perdure::graph
