// A graph that ranks have together: the rows of each rank, what the input calls its vertices, and which
// vertices of other ranks are their neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/detail/held_span.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_rows.hpp>
#include <perdure/graph/vertex.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

namespace detail {

/// The arrays of a `rank_graph`, sound and in order.
struct rank_graph_parts {
  rank_plan plan;
  held_span<std::uint64_t> offsets{std::vector<std::uint64_t>{0}};
  held_span<vertex_handle> targets;
  held_span<double> weights;
  held_span<vertex_id> ids;
  bool is_simple = true;
};

}  // namespace detail

/// The part of an undirected graph that one rank owns: in ordinary memory, or in place in a set of stores.
/// Cheap to copy: copies share the arrays.
///
/// Vertices have numbers in the whole graph, from 0 over all ranks, of which a rank owns a range. In this
/// part own vertices are 0, 1, 2, … and *ghosts*, the vertices of other ranks that are neighbours of own
/// ones, follow in the order of their numbers. An edge is in the rows of both its ends, a loop once; repeated
/// edges are kept. Each row is sorted by the neighbours' numbers in the whole graph, and arcs to the same one
/// by weight.
///
/// Thread safety: const members from any thread.
class rank_graph {
 public:
  /// A graph without vertices, of a lone rank.
  rank_graph() = default;
  /// Takes parts that are sound. For the library's own sources of graphs.
  explicit rank_graph(detail::rank_graph_parts parts) : parts_(std::move(parts)) {}

  /// Collective. Makes one of rows that a program has. Throws `invalid_argument` on all ranks, with the same
  /// message, where
  /// - the rows of a rank do not fit their bounds
  /// - the ranks have different bounds
  /// - an edge is not in the rows of both its ends as often, with the same weights
  /// and `unsupported` where a rank would have more than 2^32 - 1 vertices and ghosts. O(arcs log arcs of a
  /// row).
  static rank_graph of(const rank_rows& rows, rank_exchange& ranks, unsigned threads = 1);

  int rank() const noexcept { return parts_.plan.rank; }
  /// The ranks among which the graph is divided.
  int ranks() const noexcept { return static_cast<int>(parts_.plan.bounds.size()) - 1; }
  /// The number of the first vertex of each rank, and the number of all vertices.
  const std::vector<std::uint64_t>& bounds() const noexcept { return parts_.plan.bounds; }
  /// The number of the first own vertex.
  vertex_id first() const noexcept { return parts_.plan.first(); }
  /// Number of vertices in the whole graph.
  std::uint64_t vertices() const noexcept { return parts_.plan.all(); }
  /// Number of own vertices.
  std::size_t size() const noexcept { return parts_.offsets.size() - 1; }
  /// Number of own vertices and ghosts.
  std::size_t places() const noexcept { return size() + ghosts().size(); }
  /// Number of arcs in the rows of own vertices.
  std::uint64_t arcs() const noexcept { return parts_.targets.size(); }

  /// Where the row of each own vertex begins, and the number of arcs.
  std::span<const std::uint64_t> offsets() const noexcept { return parts_.offsets.span(); }
  /// The neighbours in all rows: own vertices and ghosts.
  std::span<const vertex_handle> targets() const noexcept { return parts_.targets.span(); }
  /// The weights of the arcs; empty: no arc of this rank has one.
  std::span<const double> weights() const noexcept { return parts_.weights.span(); }
  /// The numbers of the ghosts in the whole graph, ascending.
  std::span<const vertex_id> ghosts() const noexcept { return parts_.plan.ghosts.span(); }
  /// Ids of own vertices, as the input calls them. Empty on all ranks: vertices are called by their numbers.
  std::span<const vertex_id> ids() const noexcept { return parts_.ids.span(); }

  std::uint64_t degree(vertex_handle v) const noexcept {
    return parts_.offsets[v + std::size_t{1}] - parts_.offsets[v];
  }
  std::span<const vertex_handle> neighbours(vertex_handle v) const noexcept {
    return {parts_.targets.data() + parts_.offsets[v],
            parts_.targets.data() + parts_.offsets[v + std::size_t{1}]};
  }
  /// Returns the number in the whole graph of an own vertex or a ghost.
  vertex_id number(vertex_handle local) const noexcept { return parts_.plan.number(local); }
  /// Returns what the input calls an own vertex.
  vertex_id id(vertex_handle own) const noexcept {
    return parts_.ids.empty() ? number(own) : parts_.ids[own];
  }
  /// Whether no row of this rank has a loop, or the same neighbour twice.
  bool is_simple() const noexcept { return parts_.is_simple; }

  // For algorithms of the library.
  const detail::rank_graph_parts& parts() const noexcept { return parts_; }
  const detail::rank_plan& plan() const noexcept { return parts_.plan; }

 private:
  detail::rank_graph_parts parts_;
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

/// Collective. Returns for each own vertex the smallest id in its group. `labels` has for each own vertex the
/// smallest number of a vertex in its group, as `connected_components` and `louvain` return. Sends 16 bytes
/// for each group of another rank that a rank has vertices of, and as `ids_of`.
std::vector<vertex_id> smallest_ids(const rank_graph& graph, const std::vector<vertex_id>& labels,
                                    rank_exchange& ranks);

/// Collective. Returns the number of the vertex that the input calls `id`, on all ranks; nothing where there
/// is none. O(own vertices).
std::optional<vertex_id> number_of(const rank_graph& graph, vertex_id id, rank_exchange& ranks);

}  // namespace perdure::graph
