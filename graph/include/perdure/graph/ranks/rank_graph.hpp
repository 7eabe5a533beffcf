// A graph that ranks hold together: the neighbour lists of each rank, the ids of its vertices, and the
// vertices of other ranks that are neighbours of its own.
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

/// The part of an undirected graph that one rank owns, in ordinary memory, or in place in a set of stores.
/// Copies are cheap and share the arrays.
///
/// Vertices have numbers in the whole graph, from 0 over all ranks, and each rank owns a range of them. In
/// this part own vertices are 0, 1, 2, … The *ghosts*, vertices of other ranks that are neighbours of own
/// ones, follow in the order of their numbers. An edge is in the lists of both its ends, a loop once;
/// parallel edges are kept. Each list is sorted by the neighbours' numbers in the whole graph, and arcs to
/// the same neighbour by weight.
///
/// Thread safety: const members from any thread.
class rank_graph {
 public:
  /// Makes a graph without vertices, of a lone rank.
  rank_graph() = default;
  // Takes parts that are sound. For the library's own sources of graphs.
  /// @cond
  explicit rank_graph(detail::rank_graph_parts parts) : parts_(std::move(parts)) {}
  /// @endcond

  /// Collective. Makes a graph of neighbour lists that a program has. Throws on all ranks, with the same
  /// message, `invalid_argument` if
  /// - the lists of a rank do not fit their bounds,
  /// - the ranks have different bounds,
  /// - an edge is not in the lists of both its ends equally often, with the same weights;
  ///
  /// and `unsupported` if a rank would have more than 2^32 - 1 vertices and ghosts. O(arcs log arcs of a
  /// list).
  static rank_graph of(const rank_rows& rows, rank_exchange& ranks, unsigned threads = 1);

  /// Returns the number of the rank that owns this part.
  int rank() const noexcept { return parts_.plan.rank; }
  /// Returns the number of ranks among which the graph is divided.
  int ranks() const noexcept { return static_cast<int>(parts_.plan.bounds.size()) - 1; }
  /// Returns the number of the first vertex of each rank, and the number of all vertices.
  const std::vector<std::uint64_t>& bounds() const noexcept { return parts_.plan.bounds; }
  /// Returns the number of the first own vertex in the whole graph.
  vertex_id first() const noexcept { return parts_.plan.first(); }
  /// Returns the number of vertices in the whole graph.
  std::uint64_t vertices() const noexcept { return parts_.plan.all(); }
  /// Returns the number of own vertices.
  std::size_t size() const noexcept { return parts_.offsets.size() - 1; }
  /// Returns the number of own vertices and ghosts.
  std::size_t places() const noexcept { return size() + ghosts().size(); }
  /// Returns the number of arcs in the lists of own vertices.
  std::uint64_t arcs() const noexcept { return parts_.targets.size(); }

  /// Returns the place where the list of each own vertex begins in `targets()`, and the number of arcs.
  std::span<const std::uint64_t> offsets() const noexcept { return parts_.offsets.span(); }
  /// Returns the neighbours in all lists: own vertices and ghosts.
  std::span<const vertex_handle> targets() const noexcept { return parts_.targets.span(); }
  /// Returns the weights of the arcs; empty if no arc of this rank has one.
  std::span<const double> weights() const noexcept { return parts_.weights.span(); }
  /// Returns the numbers of the ghosts in the whole graph, ascending.
  std::span<const vertex_id> ghosts() const noexcept { return parts_.plan.ghosts.span(); }
  /// Returns the ids of own vertices in the input. Empty on all ranks if ids are the vertex numbers.
  std::span<const vertex_id> ids() const noexcept { return parts_.ids.span(); }

  /// Returns the number of neighbours of an own vertex; parallel edges count separately. O(1).
  std::uint64_t degree(vertex_handle v) const noexcept {
    return parts_.offsets[v + std::size_t{1}] - parts_.offsets[v];
  }
  /// Returns the neighbours of an own vertex: own vertices and ghosts. O(1).
  std::span<const vertex_handle> neighbours(vertex_handle v) const noexcept {
    return {parts_.targets.data() + parts_.offsets[v],
            parts_.targets.data() + parts_.offsets[v + std::size_t{1}]};
  }
  /// Returns the number of an own vertex or a ghost in the whole graph. O(1).
  vertex_id number(vertex_handle local) const noexcept { return parts_.plan.number(local); }
  /// Returns the id of an own vertex in the input. O(1).
  vertex_id id(vertex_handle own) const noexcept {
    return parts_.ids.empty() ? number(own) : parts_.ids[own];
  }
  /// Returns whether no list of this rank has a loop or a parallel edge.
  bool is_simple() const noexcept { return parts_.is_simple; }

  // For algorithms of the library.
  /// @cond
  const detail::rank_graph_parts& parts() const noexcept { return parts_; }
  const detail::rank_plan& plan() const noexcept { return parts_.plan; }
  /// @endcond

 private:
  detail::rank_graph_parts parts_;
};

/// Options of `build_rank_graph`.
struct rank_build_options {
  bool with_weights = false;  ///< keeps the weights of edges, which all batches must have then
  unsigned threads = 1;       ///< number of threads of each rank
};

/// Collective. Makes an undirected graph of the edges that all ranks draw, each from a source of its own. The
/// graph is divided between vertices so that ranks have about as many arcs each. Vertices are the ids that
/// occur in an edge or that sources declare, numbered in the order of their ids. So the graph does not depend
/// on the number of ranks, nor on which rank draws an edge.
///
/// Throws on all ranks what a source throws on one (`joint_call`), and `unsupported` if a rank would have
/// more than 2^32 - 1 vertices and ghosts.
///
/// Time O(edges log edges) for each rank's edges. Takes 16 bytes for each edge that a rank draws, 24 with
/// weights, and 32 for each arc of its lists. Each end of an edge is sent at most twice.
rank_graph build_rank_graph(edge_source& edges, rank_exchange& ranks, const rank_build_options& options = {});

/// Collective. Returns the ids in the input of the vertices with these numbers, of any rank. Sends each
/// number to the rank that owns the vertex, and 8 bytes back.
std::vector<vertex_id> ids_of(const rank_graph& graph, const std::vector<vertex_id>& numbers,
                              rank_exchange& ranks);

/// Collective. Returns the smallest id in the group of each own vertex. `labels` has the smallest vertex
/// number in the group of each own vertex, as `connected_components` and `louvain` return it. Sends 16 bytes
/// for each group of another rank that a rank has vertices of, and the messages of `ids_of`.
std::vector<vertex_id> smallest_ids(const rank_graph& graph, const std::vector<vertex_id>& labels,
                                    rank_exchange& ranks);

/// Collective. Returns on all ranks the number of the vertex with this id, or nothing if there is none. O(own
/// vertices).
std::optional<vertex_id> number_of(const rank_graph& graph, vertex_id id, rank_exchange& ranks);

}  // namespace perdure::graph
