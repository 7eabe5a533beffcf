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

struct community_summary {
  std::uint64_t communities = 0;
  std::uint64_t largest = 0;  ///< vertices in the largest community
  double modularity = 0;
  unsigned levels =
      0;  ///< of graphs whose vertices are the communities of the one before; of Louvain's method
  unsigned iterations = 0;  ///< how often all vertices, or those near a change, looked for another community
};

/// The communities of one level of Louvain's method.
template <class Label>
struct community_level {
  std::vector<Label> labels;  ///< by vertex: the smallest vertex number in its community
  std::uint64_t communities = 0;
  double modularity = 0;
};

struct community_result {
  std::vector<vertex_handle> labels;  ///< by vertex: the smallest vertex number in its community
  community_summary summary;
  /// The levels from the finest one to the last one, which is the answer; only with `keep_levels`.
  std::vector<community_level<vertex_handle>> levels;
};

struct louvain_options {
  /// More makes more and smaller communities, less fewer and larger ones.
  double resolution = 1;
  /// Ends when going through all levels once more makes modularity no larger than by this; with several
  /// starts, when that has happened three times.
  double tolerance = 1e-4;
  /// How often it begins from single vertices, in another order each time; the best answer is kept. 0: as
  /// often as takes little time, 10 times for small graphs, once for those of more than two million edges.
  unsigned starts = 0;
  /// Levels of graphs whose vertices are communities, at most.
  unsigned max_levels = std::numeric_limits<unsigned>::max();
  /// Ends when vertices have moved for the first time, each from a community of its own. The answer is the
  /// connected parts of these communities, and worse than that of all levels: for comparison.
  bool first_phase_only = false;
  /// Keeps the communities of all levels, from the first to the answer. Each is within one of the next level.
  ///
  /// A vertex of a level's graph is a set of vertices of the graph, which the refinement has joined. A
  /// community of a level is what such a set has in common with a community of the answer; where that is not
  /// connected, each of its parts. Levels with the same communities as the next are left out.
  bool keep_levels = false;
  /// Reads the row of a vertex that moves once instead of twice, with the same answer: for rows that do not
  /// fit into memory. It takes 4 bytes more for each vertex, and more time where rows are in memory.
  bool reads_rows_once = false;
  unsigned threads = 1;
};

struct label_propagation_options {
  unsigned iterations = 100;  ///< ends then at the latest
  unsigned threads = 1;
};

namespace detail {

/// Throws `invalid_argument` for options that are no numbers.
community_result find_communities(community_graph graph, const louvain_options& options,
                                  const std::vector<vertex_id>* from = nullptr);
community_result propagate_labels(const community_graph& graph, const label_propagation_options& options);

}  // namespace detail

/// Communities of the underlying simple graph by Louvain's method (Blondel et al., 2008): each vertex moves
/// to the neighbouring community that makes *modularity* larger by the most, until that brings next to
/// nothing; then communities become vertices, and so on. At the end vertices move once more at each level,
/// from the last one to the first, and all begins anew until that brings no more than `tolerance`. Every
/// community is connected.
///
/// Modularity after Newman, Girvan: the part of all edges that is within communities, less what would be if
/// the same vertices had as many edges with others at random. Weights of arcs between the same two vertices
/// are added up; without weights each two that are joined count once. Loops do not matter.
///
/// Vertices move in half-steps: about half of them, chosen by a hash, decide by the communities of before,
/// then all of those move (against two that take each other's place at once: Lu, Halappanavar, Kalyanaraman,
/// 2015). Weights are whole numbers, in proportion to the given ones. So the answer is the same for any
/// number of threads and in every run. Throws `errc::invalid_argument` for weights that are negative or no
/// number, and where the sum of all is above 1.8e308. O(arcs) for each iteration; takes 4 to 16 bytes for
/// each arc and 50 for each vertex, 16 more for each thread.
template <class Graph>
community_result louvain(const Graph& graph, const louvain_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::find_communities(detail::community_graph::of(graph, options.threads), options);
  } else {
    return {};
  }
}

/// Communities by Louvain's method from given ones, for a graph that has changed a little since they were
/// found, as by one more edge for each hundred: takes a tenth of the time. Vertices with the same label in
/// `start`, the number of a vertex, begin together; one that is new begins alone, with its own number
/// (`match_labels` finds labels by ids). `options.starts` does not count.
///
/// One cycle through the levels moves vertices and joins communities. It splits none but those that are not
/// connected, so communities of a smaller resolution are no good beginning. Where it makes modularity larger
/// by more than 0.1, the graph is another one, and cycles follow as in `louvain`.
///
/// With `keep_levels` the first level is that of the given communities after vertices have left them.
/// Everything else is as with `louvain`. Throws `errc::invalid_argument` too where labels are no vertices.
template <class Graph>
community_result louvain_from(const Graph& graph, const std::vector<vertex_id>& start,
                              const louvain_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::find_communities(detail::community_graph::of(graph, options.threads), options, &start);
  } else {
    return {};
  }
}

/// Communities by label propagation (Raghavan, Albert, Kumara, 2007): each vertex takes the label that most
/// of its neighbours have, by weight, and keeps its own where that is one of them, until none changes. Much
/// faster than Louvain's method, and worse. Edges, weights and half-steps are those of `louvain`.
template <class Graph>
community_result label_propagation(const Graph& graph, const label_propagation_options& options = {}) {
  if constexpr (require_graph_view<Graph>()) {
    return detail::propagate_labels(detail::community_graph::of(graph, options.threads), options);
  } else {
    return {};
  }
}

/// What is wrong with communities, if something is: computes modularity by its definition, by one thread.
/// Labels must be the smallest vertex of their community. O((vertices + arcs) log vertices).
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
