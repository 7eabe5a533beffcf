// Orders in which the vertices of a graph of ranks are numbered. If neighbours have numbers near each other,
// a rank has few ghosts, and algorithms find neighbours in the processor's caches.
#pragma once

#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/rgg.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// An order in which vertices are numbered. Each is the same for any number of ranks and threads.
enum class rank_order : std::uint8_t {
  none,     ///< by id
  hilbert,  ///< along Hilbert's curve, for vertices with places in a square
  louvain,  ///< by communities
  rcm,      ///< reverse Cuthill-McKee
};

/// Returns the name of an order: "none", "hilbert", "louvain", "rcm".
std::string_view to_string(rank_order order) noexcept;

/// Collective. Numbers vertices by the communities of Louvain's method. The communities of the last level
/// come one after the other, within each the communities of the level before, and so on down to vertices,
/// which are ordered by id. Returns the new number of each own vertex. Takes as long as `louvain` with one
/// start.
std::vector<std::uint64_t> louvain_numbers(const rank_graph& graph, rank_exchange& ranks,
                                           unsigned threads = 1);

/// Collective. Numbers vertices in reverse Cuthill-McKee order (Cuthill, McKee, 1969; George, 1971), in all
/// components at once. Returns the new number of each own vertex.
///
/// In each component the search begins at the vertex that is farthest from the vertex of the smallest degree.
/// Among several such vertices the one with the smallest degree is taken, then the one with the smallest id.
/// The search goes level by level. A level is ordered by the first neighbours in the level before, then by
/// degree, then by id. Components follow each other.
///
/// Each level takes six collective calls, so a long path takes long. O((vertices + arcs) log vertices) for
/// all ranks together.
std::vector<std::uint64_t> rcm_numbers(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

/// Collective. Numbers the vertices of a random geometric graph along Hilbert's curve; vertices in the same
/// cell of 2^-32 by 2^-32 are ordered by id. `graph` must have been built of the generator's edges and not
/// renumbered. Throws `invalid_argument` if it has other vertices. Returns the new number of each own vertex.
std::vector<std::uint64_t> hilbert_numbers(const rgg_generator& generator, const rank_graph& graph,
                                           rank_exchange& ranks);

/// Collective. Returns the same graph with other numbers: `numbers` has the new number of each own vertex.
/// The graph is divided between ranks by the new numbers, so that ranks have about as many arcs each.
/// Vertices keep their ids. Throws `invalid_argument` on all ranks unless each number below the number of
/// vertices is given once.
///
/// Sends 8 bytes for each ghost, 8 for each arc (16 with weights), and 36 for each vertex. Takes 16 bytes for
/// each arc beside both graphs, 32 with weights.
rank_graph reordered(const rank_graph& graph, std::span<const std::uint64_t> numbers, rank_exchange& ranks,
                     unsigned threads = 1);

/// Collective. Returns the same graph with its vertices in an order; for `none` the graph itself. `hilbert`
/// needs the generator in `points` and throws `invalid_argument` without it.
rank_graph ordered(const rank_graph& graph, rank_order order, rank_exchange& ranks, unsigned threads = 1,
                   const rgg_generator* points = nullptr);

/// Collective. Returns the same graph with its vertices in the order of another graph, by their ids. Use it
/// for a graph to which edges were added. Vertices that `before` lacks follow, ordered by id. Throws
/// `invalid_argument` on all ranks unless `graph` is numbered in the order of ids and has all vertices of
/// `before`.
rank_graph in_order_of(const rank_graph& before, const rank_graph& graph, rank_exchange& ranks,
                       unsigned threads = 1);

/// Collective. Returns the same graph with vertices numbered in the order of their ids; the graph itself if
/// they are.
rank_graph in_id_order(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

}  // namespace perdure::graph
