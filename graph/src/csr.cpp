#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/csr.hpp>
#include <string>

namespace perdure::graph {

namespace {

struct short_edge {
  std::uint32_t source;
  std::uint32_t target;
};

std::vector<short_edge> collect(edge_source& source) {
  std::vector<short_edge> edges;
  edge_batch batch;
  while (source.next(batch)) {
    for (const edge& one : batch.edges) {
      if (one.source >= no_vertex || one.target >= no_vertex)
        throw error(errc::unsupported, "vertex " + std::to_string(std::max(one.source, one.target)) +
                                           ": ids must be below 2^32 - 1 here");
      if (one.source == one.target) continue;
      edges.push_back({static_cast<std::uint32_t>(one.source), static_cast<std::uint32_t>(one.target)});
    }
  }
  return edges;
}

/// Sorts each vertex's neighbours and drops those that are there twice.
void tidy(csr& graph) {
  std::uint64_t end = 0;
  std::uint64_t first = 0;
  for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v) {
    const std::uint64_t last = graph.offsets[v + 1];
    const auto begin_of_list = graph.targets.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end_of_list = graph.targets.begin() + static_cast<std::ptrdiff_t>(last);
    std::sort(begin_of_list, end_of_list);
    const auto kept = std::unique(begin_of_list, end_of_list);
    std::move(begin_of_list, kept, graph.targets.begin() + static_cast<std::ptrdiff_t>(end));
    graph.offsets[v] = end;
    end += static_cast<std::uint64_t>(kept - begin_of_list);
    first = last;
  }
  graph.offsets.back() = end;
  graph.targets.resize(end);
  graph.targets.shrink_to_fit();
}

}  // namespace

csr make_csr(edge_source& source) {
  csr graph;
  const std::vector<short_edge> edges = collect(source);
  std::uint32_t largest = 0;
  for (const short_edge& one : edges) largest = std::max({largest, one.source, one.target});
  std::vector<std::uint64_t> degrees(edges.empty() ? 0 : std::size_t{largest} + 1);
  for (const short_edge& one : edges) {
    ++degrees[one.source];
    ++degrees[one.target];
  }
  for (std::size_t id = 0; id < degrees.size(); ++id)
    if (degrees[id] != 0) graph.ids.push_back(id);
  std::stable_sort(graph.ids.begin(), graph.ids.end(),
                   [&](vertex_id a, vertex_id b) { return degrees[a] > degrees[b]; });

  std::vector<vertex_handle> number(degrees.size());
  graph.offsets.assign(graph.ids.size() + 1, 0);
  for (std::size_t v = 0; v < graph.ids.size(); ++v) {
    number[graph.ids[v]] = static_cast<vertex_handle>(v);
    graph.offsets[v + 1] = graph.offsets[v] + degrees[graph.ids[v]];
  }
  graph.targets.resize(graph.offsets.back());
  std::vector<std::uint64_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (const short_edge& one : edges) {
    const vertex_handle a = number[one.source];
    const vertex_handle b = number[one.target];
    graph.targets[next[a]++] = b;
    graph.targets[next[b]++] = a;
  }
  tidy(graph);
  return graph;
}

}  // namespace perdure::graph
