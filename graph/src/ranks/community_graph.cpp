// The rows of a rank as the graph that communities are looked for in.
#include <perdure/graph/detail/community_graph.hpp>
#include <utility>
#include <vector>

#include "ranks/sound_rows.hpp"

namespace perdure::graph::detail {

community_graph community_graph::of(std::vector<std::uint64_t> bounds, int rank,
                                    std::vector<std::uint64_t> offsets, const std::vector<vertex_id>& targets,
                                    std::vector<std::uint64_t> weights, std::vector<std::uint64_t> loops,
                                    unsigned threads) {
  community_graph made;
  made.plan = rank_plan::of(std::move(bounds), rank, offsets, targets, made.targets);
  made.offsets = std::move(offsets);
  made.weights = std::move(weights);
  made.loops = std::move(loops);
  made.add_up_volumes(threads);
  return made;
}

community_graph community_graph::of(const rank_rows& rows, rank_exchange& ranks, unsigned threads) {
  require_sound(rows, ranks, weight_use::sums);
  struct end {
    vertex_id target;
    double weight;
  };
  const vertex_id first = rows.bounds[static_cast<std::size_t>(ranks.rank())];
  std::vector<std::uint64_t> offsets{0};
  std::vector<vertex_id> targets;
  std::vector<double> weights;
  std::vector<end> row;
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    row.clear();
    for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
      if (rows.targets[i] != first + v)
        row.push_back({rows.targets[i], rows.weights.empty() ? 1 : rows.weights[i]});
    row.resize(merge_ends(std::span(row)));
    for (const end& one : row) {
      targets.push_back(one.target);
      weights.push_back(one.weight);
    }
    offsets.push_back(targets.size());
  }
  // A rank without arcs has no weights either.
  std::uint64_t weighted[] = {rows.weights.empty() ? 0U : 1U};
  ranks.add_up(weighted);
  return of(rows.bounds, ranks.rank(), std::move(offsets), targets,
            weighted[0] != 0 ? whole_weights(weights, ranks) : std::vector<std::uint64_t>(), {}, threads);
}

}  // namespace perdure::graph::detail
