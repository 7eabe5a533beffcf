#include "ranks/joined_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <perdure/graph/detail/rank_plan.hpp>
#include <utility>

namespace perdure::graph::detail {

rank_graph_parts joined_rows(std::vector<std::uint64_t> bounds, int rank, std::vector<std::uint64_t> offsets,
                             std::span<const part_rows> parts) {
  const vertex_id first = bounds[static_cast<std::size_t>(rank)];
  const vertex_id end = bounds[static_cast<std::size_t>(rank) + 1];
  std::vector<std::vector<std::uint8_t>> is_neighbour;  // by part and its number
  std::vector<vertex_id> others;
  for (const part_rows& part : parts) {
    std::vector<std::uint8_t>& is_there = is_neighbour.emplace_back(part.places());
    for (const vertex_handle v : part.targets) is_there[v] = 1;
    for (std::uint64_t v = 0; v < is_there.size(); ++v)
      if (const vertex_id number = part.number(v); is_there[v] != 0 && (number < first || number >= end))
        others.push_back(number);
  }
  rank_graph_parts made;
  made.plan = rank_plan::with_ghosts(std::move(bounds), rank, std::move(others));

  std::vector<vertex_handle> targets;
  targets.reserve(offsets.back());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part_rows& part = parts[i];
    std::vector<vertex_handle> here(part.places());  // by the part's number
    for (std::uint64_t v = 0; v < here.size(); ++v)
      if (is_neighbour[i][v] != 0) here[v] = made.plan.local(part.number(v));
    for (const vertex_handle v : part.targets) targets.push_back(here[v]);
  }
  made.plan.plan_rows(offsets, targets);
  made.offsets = std::move(offsets);
  made.targets = std::move(targets);
  return made;
}

}  // namespace perdure::graph::detail
