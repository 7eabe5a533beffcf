// Communities: parts of a graph with many edges within and few between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/graph_view.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Counts and quality of communities.
struct community_summary {
  std::uint64_t communities = 0;  ///< number of communities
  std::uint64_t largest = 0;      ///< vertices in the largest community
  double modularity = 0;          ///< modularity of the whole division, see `louvain`
  /// Number of graphs whose vertices are communities of the graph before; of Louvain's method.
  unsigned levels = 0;
  /// Rounds in which all vertices, or those near a change, looked for another community.
  unsigned iterations = 0;
};

/// The communities of one level of Louvain's method.
template <class Label>
struct community_level {
  std::vector<Label> labels;      ///< smallest vertex number in the community of each vertex
  std::uint64_t communities = 0;  ///< number of communities
  double modularity = 0;          ///< modularity of this level
};

/// Answer of `louvain` and `label_propagation`.
struct community_result {
  std::vector<vertex_handle> labels;  ///< smallest vertex number in the community of each vertex
  community_summary summary;          ///< counts and quality
  /// The levels from the finest to the last, which is the answer. Empty without `keep_levels`.
  std::vector<community_level<vertex_handle>> levels;
};

/// Options of `louvain` and `louvain_from`.
struct louvain_options {
  /// Weight of the expected edges in modularity. A larger value makes more and smaller communities, a smaller
  /// value fewer and larger ones.
  double resolution = 1;
  /// Stop when one more pass through all levels increases modularity by no more than this. With several
  /// starts, stop when that has happened three times.
  double tolerance = 1e-4;
  /// Number of starts from single vertices, each in another order; the best answer is kept. 0 chooses by
  /// size: 10 starts for small graphs, one for graphs of more than two million edges.
  unsigned starts = 0;
  /// Largest number of graphs whose vertices are communities.
  unsigned max_levels = std::numeric_limits<unsigned>::max();
  /// Stop after vertices have moved for the first time, each from a community of its own. The answer is the
  /// connected parts of these communities. It is worse than that of all levels; use it for comparisons.
  bool first_phase_only = false;
  /// Keeps the communities of all levels, from the first to the answer. Each community is part of one of the
  /// next level.
  ///
  /// A vertex of a level's graph is a set of vertices of the input, which the refinement has joined. A
  /// community of a level is the part of such a set that lies in one community of the answer. Where that part
  /// is not connected, each of its connected parts is a community. Levels with the same communities as the
  /// next are left out.
  bool keep_levels = false;
  /// Reads the neighbour list of a moving vertex once instead of twice, for lists that do not fit into
  /// memory. The answer is the same. It takes 4 bytes more for each vertex, and more time where the lists are
  /// in memory.
  bool reads_rows_once = false;
  unsigned threads = 1;  ///< number of threads; the answer does not depend on it
};

/// Options of `label_propagation`.
struct label_propagation_options {
  unsigned iterations = 100;  ///< stop after this many iterations
  unsigned threads = 1;       ///< number of threads; the answer does not depend on it
};

namespace detail {

/// Throws `invalid_argument` for options that are no numbers.
community_result find_communities(community_graph graph, const louvain_options& options,
                                  const std::vector<vertex_id>* from = nullptr);
community_result propagate_labels(const community_graph& graph, const label_propagation_options& options);

}  // namespace detail

/// Finds communities of the underlying simple graph by Louvain's method (Blondel, Guillaume, Lambiotte,
/// Lefebvre: "Fast unfolding of communities in large networks", 2008).
///
/// Each vertex moves to the neighbouring community that increases *modularity* most, until moves gain next to
/// nothing. Each community then becomes one vertex of a smaller graph, and the step repeats. At the end
/// vertices move once more at each level, from the last to the first. The whole cycle repeats until it gains
/// no more than `tolerance`. Every community is connected.
///
/// Modularity (Newman, Girvan, 2004) is the share of all edges that lie within communities, less the expected
/// share if the same vertices had as many edges at random. Weights of arcs between the same two vertices are
/// added up. Without weights each pair of neighbours counts once. Loops are ignored.
///
/// Vertices move in half-steps: about half of them, chosen by a hash, decide by the communities as they were,
/// then all of these move. This prevents two vertices from swapping places at once (Lu, Halappanavar,
/// Kalyanaraman, 2015). Weights are converted to whole numbers in proportion to the given ones. So the answer
/// is the same in every run and for any number of threads.
///
/// Cost: O(arcs) for each iteration; 4 to 16 bytes for each arc, 50 for each vertex, and 16 more for each
/// vertex and thread.
///
/// Throws `errc::invalid_argument` for weights that are negative or NaN, where the sum of all weights exceeds
/// 1.8e308, and for options that are negative or NaN.
template <class Graph>
community_result louvain(const Graph& graph, const louvain_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::find_communities(detail::community_graph::of(graph, options.threads), options);
  } else {
    return {};
  }
}

/// Finds communities by Louvain's method from given ones, for a graph that has changed a little since, for
/// example by one edge for each hundred. Takes about a tenth of the time of `louvain`.
///
/// `start` has the number of a vertex for each vertex. Vertices with the same number begin in one community.
/// A new vertex begins alone, with its own number. `match_labels` finds such numbers by ids. `options.starts`
/// is ignored.
///
/// One cycle through the levels moves vertices and joins communities. It splits only communities that are not
/// connected, so do not start from communities of a smaller resolution. If the cycle increases modularity by
/// more than 0.1, the graph has changed too much, and cycles follow as in `louvain`.
///
/// With `keep_levels` the first level is that of the given communities after vertices have left them.
/// Everything else is as in `louvain`. Also throws `errc::invalid_argument` where `start` has a number that
/// is not a vertex.
template <class Graph>
community_result louvain_from(const Graph& graph, const std::vector<vertex_id>& start,
                              const louvain_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::find_communities(detail::community_graph::of(graph, options.threads), options, &start);
  } else {
    return {};
  }
}

/// Finds communities by label propagation (Raghavan, Albert, Kumara, 2007). Each vertex takes the label that
/// most of its neighbours have, by weight. It keeps its own label if that is one of them. This repeats until
/// no label changes. Much faster than Louvain's method, with worse communities. Edges, weights, half-steps
/// and errors are those of `louvain`.
template <class Graph>
community_result label_propagation(const Graph& graph, const label_propagation_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::propagate_labels(detail::community_graph::of(graph, options.threads), options);
  } else {
    return {};
  }
}

/// Checks communities. Returns a sentence about the first fault, or nothing. Computes modularity by its
/// definition with one thread. Each label must be the smallest vertex of its community. O((vertices + arcs)
/// log vertices).
template <graph_view Graph>
std::optional<std::string> verify_communities(const Graph& graph, const community_result& found,
                                              double resolution = 1) {
  const std::size_t size = graph.size();
  if (found.labels.size() != size) return "there is not one label for each vertex";
  std::uint64_t communities = 0;
  for (std::size_t v = 0; v < size; ++v) {
    const vertex_handle label = found.labels[v];
    if (label > v || found.labels[label] != label)
      return "vertex number " + std::to_string(v) + " has the label " + std::to_string(label) +
             ", which is not the first vertex of its community";
    if (label == v) ++communities;
  }
  if (communities != found.summary.communities)
    return "there are " + std::to_string(communities) + " communities, not " +
           std::to_string(found.summary.communities);
  std::vector<std::map<vertex_handle, double>> joined(size);
  const bool weighted = detail::knows_weights(graph);
  for (std::size_t i = 0; i < size; ++i) {
    const auto v = static_cast<vertex_handle>(i);
    detail::visit_weighted(graph, v, [&](vertex_handle u, double weight) {
      if (u == v) return;
      const auto add = [&](vertex_handle from, vertex_handle to) {
        double& there = joined[from][to];
        there = weighted ? there + weight : 1;
      };
      add(v, u);
      if (!graph.symmetric()) add(u, v);
    });
  }
  double all = 0;
  double within = 0;
  std::vector<double> volumes(size);
  for (std::size_t v = 0; v < size; ++v)
    for (const auto& [u, weight] : joined[v]) {
      all += weight;
      volumes[found.labels[v]] += weight;
      if (found.labels[u] == found.labels[v]) within += weight;
    }
  double modularity = 0;
  if (all > 0) {
    modularity = within / all;
    for (const double volume : volumes) modularity -= resolution * (volume / all) * (volume / all);
  }
  if (!(std::abs(modularity - found.summary.modularity) < 1e-9))
    return "the modularity is " + std::to_string(modularity) + ", not " +
           std::to_string(found.summary.modularity);
  return std::nullopt;
}

}  // namespace perdure::graph
