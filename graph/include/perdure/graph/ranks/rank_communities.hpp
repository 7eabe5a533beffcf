// Communities of a graph that ranks have together.
#pragma once

#include <cstdint>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <vector>

namespace perdure::graph {

/// One sweep, in which every vertex may change its community once: what a rank has sent for it, and what for.
/// Tests check of each sweep of many graphs that all ranks together send at most 16 bytes for each changed
/// ghost and 32 for each remote community. Numbers take as many bytes as they need, so it is no bound for
/// weights of any kind.
struct louvain_sweep {
  std::uint64_t changed_ghosts = 0;  ///< vertices of other ranks, seen here, that changed
  std::uint64_t remote_communities =
      0;  ///< communities that other ranks add up, and vertices seen here are in
  std::uint64_t bytes_sent = 0;
};

struct rank_community_result {
  std::vector<vertex_id> labels;  ///< by own vertex: the number of the smallest vertex in its community
  community_summary summary;      ///< for the whole graph, the same on all ranks
  std::vector<louvain_sweep>
      sweeps;  ///< all sweeps of this rank, in all levels and starts; empty where there is one rank
  /// The levels from the finest one to the last one, which is the answer; only with `keep_levels`.
  std::vector<community_level<vertex_id>> levels;
};

/// Collective. Finds communities of the underlying simple graph by Louvain's method (`louvain` of
/// `communities.hpp`), with all its levels. The answer is the one that `louvain` has for the same graph and
/// options in one process, for any number of ranks and threads. With `options.starts` of 0 it begins as often
/// as that would.
///
/// Throws `errc::invalid_argument` on all ranks for a graph of other ranks and for weights that
/// `louvain` refuses. Between levels the ranks with edges between their vertices exchange, in each half-step,
/// the labels of vertices that changed and that other ranks see, what changed of communities of other ranks,
/// and the sums of communities that changed: numbers in as few bytes as each needs (`louvain_sweep`).
rank_community_result louvain(const rank_graph& graph, rank_exchange& ranks,
                              const louvain_options& options = {});

/// Collective. Does what `louvain_from` of `communities.hpp` does, with the answer that it has in one
/// process. `start` has for each own vertex the number of a vertex, in the whole graph (`match_labels`).
rank_community_result louvain_from(const rank_graph& graph, const std::vector<vertex_id>& start,
                                   rank_exchange& ranks, const louvain_options& options = {});

}  // namespace perdure::graph
