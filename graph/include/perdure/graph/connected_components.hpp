// Connected components; weakly connected ones in a directed graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/detail/component_forest.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Counts of components.
struct component_summary {
  std::uint64_t components = 0;  ///< number of components
  std::uint64_t largest = 0;     ///< vertices in the largest component
};

/// Answer of `connected_components` and `strong_components`.
struct component_result {
  std::vector<vertex_handle> labels;  ///< smallest vertex number in the component of each vertex
  component_summary summary;          ///< counts of components
};

/// Writes to `labels` the smallest vertex number in the component of each vertex. Needs no other array.
///
/// Method: concurrent union-find. Where arcs can be followed backwards, it samples as in Sutton, Ben-Nun,
/// Barak: "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling" (IPDPS 2018).
/// O((vertices + arcs) α(vertices)). Throws `errc::invalid_argument` if `labels` is too short.
template <class Graph>
void label_components(const Graph& graph, std::span<vertex_handle> labels, unsigned threads = 1) {
  if constexpr (require_graph_view<Graph>()) {
    if (labels.size() < graph.size())
      throw error(errc::invalid_argument, "the array of labels is shorter than the graph's " +
                                              std::to_string(graph.size()) + " vertices need");
    labels = labels.first(graph.size());
    detail::component_forest forest(labels, threads);
    constexpr std::size_t grain = std::size_t{1} << 12;
    const auto each_vertex = [&](auto&& work) {
      workload::parallel_for(threads, labels.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) work(static_cast<vertex_handle>(i));
      });
      forest.compress();
    };
    if (!knows_incoming(graph)) {
      each_vertex([&](vertex_handle v) {
        for (const vertex_handle u : graph.neighbours(v)) forest.link(v, u);
      });
      return;
    }
    // A few neighbours of each vertex already join most of the graph into one tree. The vertices in it need
    // not look at the rest: an edge that leaves the tree is also seen from its other end.
    constexpr unsigned sampled = 2;
    each_vertex([&](vertex_handle v) {
      unsigned taken = 0;
      for (const vertex_handle u : graph.neighbours(v)) {
        if (taken++ == sampled) return;
        forest.link(v, u);
      }
    });
    const vertex_handle most = forest.frequent_root();
    each_vertex([&](vertex_handle v) {
      if (forest.parent(v) == most) return;
      unsigned taken = 0;
      for (const vertex_handle u : graph.neighbours(v))
        if (taken++ >= sampled) forest.link(v, u);
      if (graph.symmetric()) return;
      visit_incoming(graph, v, [&](vertex_handle u) {
        forest.link(v, u);
        return true;
      });
    });
  }
}

/// Counts the components that `labels` describe. O(vertices), and 4 bytes for each vertex.
component_summary count_components(std::span<const vertex_handle> labels);

/// Labels the components and counts them, see `label_components`.
template <class Graph>
component_result connected_components(const Graph& graph, unsigned threads = 1) {
  component_result result;
  if constexpr (require_graph_view<Graph>()) {
    result.labels.resize(graph.size());
    label_components(graph, result.labels, threads);
    result.summary = count_components(result.labels);
  }
  return result;
}

/// Returns the smallest id in the component of each vertex, in the input's ids. `labels` must be those of
/// `label_components`. O(vertices).
template <named_view Graph>
std::vector<vertex_id> component_ids(const Graph& graph, std::span<const vertex_handle> labels) {
  std::vector<vertex_id> ids(graph.size(), ~vertex_id{0});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    ids[labels[v]] = std::min(ids[labels[v]], graph.id(v));
  }
  // A label is never larger than its vertex, so what it says is whole when the vertex's turn comes from the
  // end.
  for (std::size_t i = ids.size(); i-- != 0;) ids[i] = ids[labels[i]];
  return ids;
}

/// Checks labels against a plain union-find by one thread. Returns a sentence about the first fault, or
/// nothing. A label may be any vertex of the component. O((vertices + arcs) α(vertices)), and 4 bytes for
/// each vertex.
template <graph_view Graph>
std::optional<std::string> verify_components(const Graph& graph, std::span<const vertex_handle> labels) {
  std::vector<vertex_handle> parents(graph.size());
  std::iota(parents.begin(), parents.end(), vertex_handle{0});
  const auto root_of = [&](vertex_handle v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    for (const vertex_handle u : graph.neighbours(v)) {
      if (labels[u] != labels[v])
        return "vertices number " + std::to_string(v) + " and " + std::to_string(u) +
               " are joined by an edge and have different labels";
      parents[root_of(v)] = root_of(u);
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    if (labels[v] >= graph.size() || root_of(labels[v]) != root_of(v))
      return "vertex number " + std::to_string(v) + " has the label " + std::to_string(labels[v]) +
             ", which is not in its component";
  }
  return std::nullopt;
}

}  // namespace perdure::graph
