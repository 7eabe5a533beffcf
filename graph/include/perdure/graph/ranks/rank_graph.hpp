// A graph that ranks have together: the rows of each rank, and what the input calls its vertices.
#pragma once

#include <optional>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <perdure/graph/vertex.hpp>
#include <vector>

namespace perdure::graph {

/// The part of a graph that a rank owns.
struct rank_graph {
  /// A row is sorted by the numbers of the neighbours, and arcs to the same one by weight. A loop is once in
  /// its row; repeated edges are kept.
  rank_rows rows;
  /// Ids of own vertices: how the input calls them. Empty on all ranks: vertices are called by their numbers.
  std::vector<vertex_id> ids;
};

struct rank_build_options {
  bool with_weights = false;  ///< keeps the weights of edges, which all batches must have then
  unsigned threads = 1;
};

/// Collective. Makes an undirected graph of the edges that all ranks draw, each from a source of its own, and
/// divides it between vertices so that ranks have about as many arcs each. The graph, with its numbers, does
/// not depend on the number of ranks, nor on which of them draws an edge: vertices are numbered in the order
/// of their ids. They are those that an edge names, and those that sources declare.
///
/// Throws on all ranks what a source throws on one (`joint_call`), and `unsupported` where a rank would have
/// more than 2^32 - 1 vertices and ghosts.
///
/// Time O(edges log edges) for each rank's edges; takes 16 bytes for each edge that it draws, 24 with
/// weights, and 32 for each arc of its rows. Each end of an edge is sent twice at most.
rank_graph build_rank_graph(edge_source& edges, rank_exchange& ranks, const rank_build_options& options = {});

/// Collective. Returns what the input calls the vertices of these numbers, of any rank. Sends each number to
/// the rank that owns the vertex, and 8 bytes back.
std::vector<vertex_id> ids_of(const rank_graph& graph, const std::vector<vertex_id>& numbers,
                              rank_exchange& ranks);

/// Collective. Returns the number of the vertex that the input calls `id`, on all ranks; nothing where there
/// is none. O(own vertices).
std::optional<vertex_id> number_of(const rank_graph& graph, vertex_id id, rank_exchange& ranks);

}  // namespace perdure::graph
