// Ids of vertices that ranks have together: how the input calls them.
#include <algorithm>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <unordered_map>

#include "ranks/fetched_values.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph {
namespace {

/// Collective. Whether vertices are called otherwise than by their numbers. A rank without vertices has no
/// ids.
bool have_ids(const rank_graph& graph, rank_exchange& ranks) {
  return detail::sum_of_all(graph.ids().size(), ranks) != 0;
}

}  // namespace

std::vector<vertex_id> ids_of(const rank_graph& graph, const std::vector<vertex_id>& numbers,
                              rank_exchange& ranks) {
  if (!have_ids(graph, ranks)) return numbers;
  return detail::fetched(graph.plan(), ranks, numbers, graph.ids());
}

std::vector<vertex_id> smallest_ids(const rank_graph& graph, const std::vector<vertex_id>& labels,
                                    rank_exchange& ranks) {
  if (!have_ids(graph, ranks)) return labels;
  std::vector<vertex_id> smallest(graph.size(), ~vertex_id{0});  // by own vertex that names a group
  std::unordered_map<vertex_id, vertex_id> elsewhere;
  const auto add = [&](vertex_id label, vertex_id id) {
    vertex_id& there = smallest[label - graph.first()];
    there = std::min(there, id);
  };
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const vertex_id id = graph.ids()[v];
    if (graph.plan().owner(labels[v]) == ranks.rank()) {
      add(labels[v], id);
    } else {
      vertex_id& there = elsewhere.try_emplace(labels[v], id).first->second;
      there = std::min(there, id);
    }
  }
  detail::outgoing messages(ranks);
  for (const auto& [label, id] : elsewhere) {
    auto& bytes = messages.to(graph.plan().owner(label));
    detail::pack(bytes, label);
    detail::pack(bytes, id);
  }
  for (const rank_message& one : messages.exchange())
    for (detail::unpacker bytes(one.bytes); !bytes.empty();) {
      const auto label = bytes.take<vertex_id>();
      add(label, bytes.take<vertex_id>());
    }
  return detail::fetched(graph.plan(), ranks, labels, smallest);
}

std::optional<vertex_id> number_of(const rank_graph& graph, vertex_id id, rank_exchange& ranks) {
  if (!have_ids(graph, ranks)) return id < graph.vertices() ? std::optional(id) : std::nullopt;
  const auto at = std::find(graph.ids().begin(), graph.ids().end(), id);
  // One more than the number, on the rank that has the vertex.
  std::uint64_t own = 0;
  if (at != graph.ids().end()) own = graph.first() + static_cast<std::uint64_t>(at - graph.ids().begin()) + 1;
  const std::uint64_t found = detail::sum_of_all(own, ranks);
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

}  // namespace perdure::graph
