// A rank's part of a graph as the graph that communities are looked for in.
#include <limits>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ranks/sound_rows.hpp"

namespace perdure::graph::detail {
namespace {

/// Collective. Throws where a weight is negative or no number.
void require_sums(const rank_graph& graph, rank_exchange& ranks) {
  std::optional<error> fault;
  for (const double weight : graph.weights())
    if (!(weight >= 0 && weight <= std::numeric_limits<double>::max())) {
      fault.emplace(errc::invalid_argument,
                    "communities need weights that are 0 or more, and an arc of rank " +
                        std::to_string(ranks.rank()) + " weighs " + std::to_string(weight));
      break;
    }
  throw_first_error(ranks, fault);
}

}  // namespace

community_graph community_graph::of(std::vector<std::uint64_t> bounds, int rank,
                                    std::vector<std::uint64_t> offsets, const std::vector<vertex_id>& targets,
                                    std::vector<std::uint64_t> weights, std::vector<std::uint64_t> loops,
                                    unsigned threads) {
  community_graph made;
  std::vector<vertex_handle> local;
  made.plan = rank_plan::of(std::move(bounds), rank, offsets, targets, local);
  made.mirrors = mirror_table(made.plan);
  made.offsets = std::move(offsets);
  made.targets = std::move(local);
  made.weights = std::move(weights);
  made.loops = std::move(loops);
  made.add_up_volumes(threads);
  return made;
}

community_graph community_graph::of(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  require_part(graph, ranks);
  require_sums(graph, ranks);
  // A rank without arcs has no weights either.
  std::uint64_t weighted[] = {graph.weights().empty() ? 0U : 1U};
  ranks.add_up(weighted);

  community_graph made;
  made.plan = graph.plan();
  made.mirrors = mirror_table(made.plan);
  const rank_graph_parts& parts = graph.parts();
  if (graph.is_simple()) {
    made.offsets = parts.offsets;
    made.targets = parts.targets;
    if (weighted[0] != 0) made.weights = whole_weights(graph.weights(), ranks);
    made.add_up_volumes(threads);
    return made;
  }
  struct end {
    vertex_handle target;
    double weight;
  };
  std::vector<std::uint64_t> offsets{0};
  std::vector<vertex_handle> targets;
  std::vector<double> weights;
  std::vector<end> row;
  for (vertex_handle v = 0; v < graph.size(); ++v) {
    row.clear();
    for (std::uint64_t i = parts.offsets[v]; i < parts.offsets[v + std::size_t{1}]; ++i)
      if (parts.targets[i] != v)
        row.push_back({parts.targets[i], parts.weights.empty() ? 1 : parts.weights[i]});
    row.resize(merge_ends(std::span(row)));
    for (const end& one : row) {
      targets.push_back(one.target);
      weights.push_back(one.weight);
    }
    offsets.push_back(targets.size());
  }
  made.offsets = std::move(offsets);
  made.targets = std::move(targets);
  if (weighted[0] != 0) made.weights = whole_weights(weights, ranks);
  made.add_up_volumes(threads);
  return made;
}

}  // namespace perdure::graph::detail
