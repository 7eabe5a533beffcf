#include "ranks/joined_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <perdure/graph/detail/rank_plan.hpp>
#include <utility>

namespace perdure::graph::detail {

rank_graph_parts joined_rows(std::vector<std::uint64_t> bounds, int rank, std::vector<std::uint64_t> offsets,
                             std::span<const part_rows> parts) {
  const vertex_id first = bounds[static_cast<std::size_t>(rank)];
  const std::uint64_t own = bounds[static_cast<std::size_t>(rank) + 1] - first;
  const auto is_own = [&](vertex_id v) { return v >= first && v - first < own; };
  std::vector<std::vector<std::uint8_t>> is_neighbour;  // by part and its number
  std::vector<vertex_id> ghosts;
  for (const part_rows& part : parts) {
    std::vector<std::uint8_t>& is_there = is_neighbour.emplace_back(part.places());
    for (const vertex_handle v : part.targets) is_there[v] = 1;
    for (std::uint64_t v = 0; v < is_there.size(); ++v)
      if (is_there[v] != 0 && !is_own(part.number(v))) ghosts.push_back(part.number(v));
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());

  std::vector<vertex_handle> targets;
  targets.reserve(offsets.back());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part_rows& part = parts[i];
    std::vector<vertex_handle> here(part.places());  // by the part's number
    for (std::uint64_t v = 0; v < here.size(); ++v) {
      if (is_neighbour[i][v] == 0) continue;
      const vertex_id number = part.number(v);
      const auto place =
          is_own(number) ? number - first
                         : own + static_cast<std::uint64_t>(
                                     std::lower_bound(ghosts.begin(), ghosts.end(), number) - ghosts.begin());
      here[v] = static_cast<vertex_handle>(place);
    }
    for (const vertex_handle v : part.targets) targets.push_back(here[v]);
  }
  rank_graph_parts made;
  made.plan = rank_plan::with_ghosts(std::move(bounds), rank, offsets, targets, std::move(ghosts));
  made.offsets = std::move(offsets);
  made.targets = std::move(targets);
  return made;
}

}  // namespace perdure::graph::detail
