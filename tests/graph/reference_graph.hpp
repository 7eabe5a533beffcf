// Plain sequential answers to compare with, and random graphs to ask about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/graph_view.hpp>
#include <queue>
#include <random>
#include <span>
#include <vector>

namespace perdure::test {

using graph::edge;
using graph::vertex_id;

/// Vertex → neighbours, sorted.
using model = std::map<vertex_id, std::vector<vertex_id>>;

inline model model_of(const std::vector<edge>& edges, graph::direction d) {
  model m;
  for (const edge& e : edges) {
    m[e.source].push_back(e.target);
    m[e.target];
    if (d == graph::direction::undirected && e.source != e.target) m[e.target].push_back(e.source);
  }
  for (auto& [v, neighbours] : m) std::sort(neighbours.begin(), neighbours.end());
  return m;
}

template <class Graph>
model contents(const Graph& g) {
  model m;
  for (std::size_t i = 0; i < graph::bank_count; ++i)
    for (const auto& [v, list] : g.bank(i)) {
      auto& neighbours = m[v];
      neighbours.assign(list.begin(), list.end());
      std::sort(neighbours.begin(), neighbours.end());
    }
  return m;
}

inline std::map<vertex_id, std::uint32_t> reference_levels(const model& m, vertex_id source) {
  std::map<vertex_id, std::uint32_t> level{{source, 0}};
  std::queue<vertex_id> queue;
  for (queue.push(source); !queue.empty(); queue.pop())
    for (const vertex_id v : m.at(queue.front()))
      if (level.try_emplace(v, level[queue.front()] + 1).second) queue.push(v);
  return level;
}

/// Vertex → smallest id of its weakly connected component.
inline std::map<vertex_id, vertex_id> reference_components(const std::vector<edge>& edges) {
  const model m = model_of(edges, graph::direction::undirected);
  std::map<vertex_id, vertex_id> label;
  for (const auto& [v, neighbours] : m)
    if (!label.contains(v))
      for (const auto& [reached, level] : reference_levels(m, v)) label[reached] = v;
  return label;
}

/// What a view shows, by ids.
template <graph::named_view Graph>
model contents_of_view(const Graph& g) {
  model m;
  for (graph::vertex_handle v = 0; v < g.size(); ++v) {
    auto& neighbours = m[g.id(v)];
    for (const graph::vertex_handle u : g.neighbours(v)) neighbours.push_back(g.id(u));
    std::sort(neighbours.begin(), neighbours.end());
  }
  return m;
}

/// By ids, of the vertices that were reached.
template <graph::named_view Graph>
std::map<vertex_id, std::uint32_t> levels_by_id(const Graph& g, std::span<const std::uint32_t> levels) {
  std::map<vertex_id, std::uint32_t> all;
  for (graph::vertex_handle v = 0; v < g.size(); ++v)
    if (levels[v] != std::numeric_limits<std::uint32_t>::max()) all[g.id(v)] = levels[v];
  return all;
}

/// Ids from `[0, ids)`, spread over all 64-bit numbers when `sparse`.
inline std::vector<edge> random_edges(std::uint64_t seed, std::size_t count, std::uint64_t ids, bool sparse) {
  std::mt19937_64 random(seed);
  auto id = [&] {
    const std::uint64_t v = random() % ids;
    return sparse ? v * 0xD1342543DE82EF95u : v;
  };
  std::vector<edge> edges(count);
  for (edge& e : edges) e = {id(), id()};
  return edges;
}

}  // namespace perdure::test
