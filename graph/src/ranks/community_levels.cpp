// Finds the connected parts of communities, each rank those of its vertices and ghosts, and joins them.
#include "ranks/community_levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ranks/fetched_values.hpp"
#include "ranks/ghost_values.hpp"
#include "ranks/numbers_of_all.hpp"

namespace perdure::graph::detail {
namespace {

/// Collective. Returns for each own vertex the smallest vertex that is reached from it through vertices of
/// which `are_together(u, v)` says that neighbours, own vertices or ghosts, are in the same community.
template <class AreTogether>
std::vector<vertex_id> connected_within(const community_graph& graph, rank_exchange& ranks,
                                        const AreTogether& are_together) {
  const rank_plan& plan = graph.plan;
  const std::size_t own = graph.size();
  const std::size_t seen = own + plan.ghosts.size();
  // Parts as far as this rank sees them, called by their first vertex here.
  std::vector<vertex_handle> part(seen, no_vertex);
  std::vector<vertex_id> smallest(seen);
  std::vector<vertex_handle> open;
  for (std::size_t i = 0; i < seen; ++i) {
    smallest[i] = plan.number(static_cast<vertex_handle>(i));
    if (part[i] != no_vertex) continue;
    const auto first = static_cast<vertex_handle>(i);
    part[first] = first;
    open.assign(1, first);
    const auto reach = [&](vertex_handle u) {
      if (part[u] != no_vertex || !are_together(u, first)) return;
      part[u] = first;
      open.push_back(u);
    };
    while (!open.empty()) {
      const vertex_handle v = open.back();
      open.pop_back();
      if (v < own) {
        graph.each_neighbour(v, [&](vertex_handle u, std::uint64_t) { reach(u); });
      } else {
        for (std::uint64_t at = plan.ghost_offsets[v - own]; at < plan.ghost_offsets[v - own + 1]; ++at)
          reach(plan.ghost_rows[at]);
      }
    }
  }
  for (std::size_t i = 0; i < seen; ++i)
    smallest[part[i]] = std::min(smallest[part[i]], plan.number(static_cast<vertex_handle>(i)));
  for (std::array<std::uint64_t, 1> changed{1}; changed[0] != 0 && ranks.size() > 1; ranks.add_up(changed)) {
    changed[0] = 0;
    exchange_with_ghosts<vertex_id>(
        plan, ranks, [&](vertex_handle v) { return smallest[part[v]]; },
        [&](vertex_handle ghost, vertex_id there) {
          vertex_id& here = smallest[part[ghost]];
          if (there >= here) return;
          here = there;
          changed[0] = 1;
        });
  }
  std::vector<vertex_id> names(own);
  for (std::size_t v = 0; v < own; ++v) names[v] = smallest[part[v]];
  return names;
}

/// Collective. Returns these values of own vertices, and those of ghosts behind them.
std::vector<vertex_id> with_ghosts(const rank_plan& plan, std::vector<vertex_id> values,
                                   rank_exchange& ranks) {
  values.resize(plan.own() + plan.ghosts.size());
  exchange_with_ghosts<vertex_id>(
      plan, ranks, [&](vertex_handle v) { return values[v]; },
      [&](vertex_handle ghost, vertex_id value) { values[ghost] = value; });
  return values;
}

/// Collective. Counts communities that are called by their smallest vertices.
std::uint64_t count_of(const std::vector<vertex_id>& labels, const rank_plan& plan, rank_exchange& ranks) {
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < labels.size(); ++v) count += labels[v] == plan.first() + v;
  return sum_of_all(count, ranks);
}

}  // namespace

std::vector<vertex_id> connected_parts(const community_graph& graph, const community_labels& communities,
                                       rank_exchange& ranks) {
  return connected_within(graph, ranks,
                          [&](vertex_handle u, vertex_handle v) { return communities[u] == communities[v]; });
}

std::vector<vertex_id> connected_parts(const community_graph& graph, const community_labels& communities,
                                       const std::vector<vertex_id>& values, rank_exchange& ranks) {
  const std::vector<vertex_id> all = with_ghosts(graph.plan, values, ranks);
  return connected_within(graph, ranks, [&](vertex_handle u, vertex_handle v) {
    return communities[u] == communities[v] && all[u] == all[v];
  });
}

std::vector<std::vector<vertex_id>> nested_levels(const std::vector<community_graph>& graphs,
                                                  const std::vector<std::vector<vertex_id>>& parts,
                                                  const std::vector<vertex_id>& labels,
                                                  rank_exchange& ranks) {
  std::vector<std::vector<vertex_id>> joined;  // by level: the vertex of the graph behind
  for (std::size_t level = 0; level < parts.size(); ++level)
    joined.push_back(level == 0 ? parts[0] : fetched(graphs[level].plan, ranks, joined.back(), parts[level]));
  const community_graph& graph = graphs.front();
  std::vector<std::vector<vertex_id>> levels{labels};
  std::uint64_t last_count = count_of(labels, graph.plan, ranks);
  for (; !joined.empty(); joined.pop_back()) {
    const std::vector<vertex_id> within = with_ghosts(graph.plan, levels.back(), ranks);
    const std::vector<vertex_id> finer = with_ghosts(graph.plan, std::move(joined.back()), ranks);
    std::vector<vertex_id> found = connected_within(graph, ranks, [&](vertex_handle u, vertex_handle v) {
      return within[u] == within[v] && finer[u] == finer[v];
    });
    // Two levels with as many communities are the same, as one is within the other.
    const std::uint64_t count = count_of(found, graph.plan, ranks);
    if (count == last_count) continue;
    last_count = count;
    levels.push_back(std::move(found));
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace perdure::graph::detail
