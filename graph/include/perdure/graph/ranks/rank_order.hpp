// How the vertices of a graph of ranks are numbered: near each other where they are neighbours, so that a
// rank has few ghosts, and algorithms find neighbours in the processor's caches.
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
  hilbert,  ///< along Hilbert's curve, of vertices with places in a square
  louvain,  ///< by communities
  rcm,      ///< reverse Cuthill-McKee
};

/// Returns the order's name: "none", "hilbert", "louvain", "rcm".
std::string_view to_string(rank_order order) noexcept;

/// Collective. Numbers vertices by the communities of Louvain's method on all its levels: those of the last
/// level one after the other, within each the communities of the level before, and so on down to vertices,
/// which are ordered by id. Returns the number of each own vertex. Takes as long as `louvain` with one start.
std::vector<std::uint64_t> louvain_numbers(const rank_graph& graph, rank_exchange& ranks,
                                           unsigned threads = 1);

/// Collective. Numbers vertices in reverse Cuthill-McKee order (Cuthill, McKee, 1969; George, 1971), in all
/// components at once. Returns the number of each own vertex.
///
/// In each component the search begins at a vertex on the border: the farthest one from the vertex of the
/// smallest degree. Of several it is that of the smallest degree, and then of the smallest id. The search
/// goes level by level. A level is ordered by the first neighbours in the level before, then by degree, then
/// by id. Components follow each other.
///
/// Each level takes six collective calls, so that a long path takes long. O((vertices + arcs) log vertices)
/// for all ranks together.
std::vector<std::uint64_t> rcm_numbers(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

/// Collective. Numbers the vertices of a random geometric graph along Hilbert's curve, those in the same cell
/// of 2^-32 by 2^-32 by id. `graph` has been built of the generator's edges, and not been numbered anew;
/// throws `invalid_argument` where it has other vertices. Returns the number of each own vertex.
std::vector<std::uint64_t> hilbert_numbers(const rgg_generator& generator, const rank_graph& graph,
                                           rank_exchange& ranks);

/// Collective. Returns the same graph with other numbers: `numbers` has that of each own vertex. It is
/// divided between ranks by them, so that ranks have about as many arcs each, and its vertices keep their
/// ids. Throws `invalid_argument` on all ranks unless each number below the number of vertices is given once.
/// Sends 8 bytes for each ghost, 8 for each arc, 16 with weights, and 36 for each vertex. Takes 16 bytes for
/// each arc beside both graphs, 32 with weights.
rank_graph reordered(const rank_graph& graph, std::span<const std::uint64_t> numbers, rank_exchange& ranks,
                     unsigned threads = 1);

/// Collective. Returns the same graph with its vertices in an order: for `none` the graph itself. `points` is
/// the generator that `hilbert` needs; without it that is `invalid_argument`.
rank_graph ordered(const rank_graph& graph, rank_order order, rank_exchange& ranks, unsigned threads = 1,
                   const rgg_generator* points = nullptr);

/// Collective. Returns the same graph with its vertices in the order of another one, by their ids, for a
/// graph to which edges were added. Vertices that the other graph lacks follow, ordered by id. Throws
/// `invalid_argument` on all ranks unless `graph` is numbered in the order of ids and has all vertices of
/// `before`.
rank_graph in_order_of(const rank_graph& before, const rank_graph& graph, rank_exchange& ranks,
                       unsigned threads = 1);

/// Collective. Returns the same graph with vertices numbered in the order of their ids: the graph itself
/// where they are.
rank_graph in_id_order(const rank_graph& graph, rank_exchange& ranks, unsigned threads = 1);

}  // namespace perdure::graph
