// Finds the ghosts of a rank, and where its vertices are ghosts.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <string>
#include <utility>

namespace perdure::graph::detail {

const rank_plan::neighbour& rank_plan::neighbour_at(int other) const noexcept {
  return *std::lower_bound(neighbours.begin(), neighbours.end(), other,
                           [](const neighbour& one, int wanted) { return one.rank < wanted; });
}

vertex_handle rank_plan::local(vertex_id v) const noexcept {
  if (v >= first() && v - first() < own()) return static_cast<vertex_handle>(v - first());
  const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), v);
  return at != ghosts.end() && *at == v ? static_cast<vertex_handle>(own() + (at - ghosts.begin()))
                                        : no_vertex;
}

rank_plan rank_plan::of(std::vector<std::uint64_t> bounds, int rank,
                        const std::vector<std::uint64_t>& offsets, const std::vector<vertex_id>& targets,
                        std::vector<vertex_handle>& local) {
  if (bounds.size() == 2) {
    local.assign(targets.begin(), targets.end());
    return lone(bounds.back());
  }
  rank_plan plan;
  plan.bounds = std::move(bounds);
  plan.rank = rank;
  const std::uint64_t first = plan.first();
  const std::size_t own = plan.own();
  const auto is_own = [&](vertex_id v) { return v >= first && v - first < own; };
  for (const vertex_id v : targets)
    if (!is_own(v)) plan.ghosts.push_back(v);
  std::sort(plan.ghosts.begin(), plan.ghosts.end());
  plan.ghosts.erase(std::unique(plan.ghosts.begin(), plan.ghosts.end()), plan.ghosts.end());

  if (plan.ghosts.size() > most_vertices - own)
    throw error(errc::unsupported,
                "rank " + std::to_string(rank) + " would number " + std::to_string(own + plan.ghosts.size()) +
                    " vertices and ghosts, and a rank can number 2^32 - 1: take more ranks");

  std::vector<std::uint32_t> neighbour_of(plan.ghosts.size());
  for (std::size_t ghost = 0; ghost < plan.ghosts.size(); ++ghost) {
    const int there = plan.owner(plan.ghosts[ghost]);
    if (plan.neighbours.empty() || plan.neighbours.back().rank != there)
      plan.neighbours.push_back({there, {}, ghost, 0});
    ++plan.neighbours.back().ghosts;
    neighbour_of[ghost] = static_cast<std::uint32_t>(plan.neighbours.size() - 1);
  }

  local.resize(targets.size());
  plan.ghost_offsets.assign(plan.ghosts.size() + 1, 0);
  plan.mirror_offsets.assign(1, 0);
  std::vector<std::uint32_t> sees;
  for (std::size_t v = 0; v < own; ++v) {
    sees.clear();
    for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i) {
      if (is_own(targets[i])) {
        local[i] = static_cast<vertex_handle>(targets[i] - first);
        continue;
      }
      local[i] = plan.local(targets[i]);
      const std::size_t ghost = local[i] - own;
      ++plan.ghost_offsets[ghost + 1];
      sees.push_back(neighbour_of[ghost]);
    }
    std::sort(sees.begin(), sees.end());
    sees.erase(std::unique(sees.begin(), sees.end()), sees.end());
    for (const std::uint32_t index : sees) {
      auto& seen = plan.neighbours[index].seen;
      plan.mirrors.push_back({index, static_cast<std::uint32_t>(seen.size())});
      seen.push_back(static_cast<vertex_handle>(v));
    }
    plan.mirror_offsets.push_back(plan.mirrors.size());
  }
  for (std::size_t ghost = 0; ghost < plan.ghosts.size(); ++ghost)
    plan.ghost_offsets[ghost + 1] += plan.ghost_offsets[ghost];
  plan.ghost_rows.resize(plan.ghost_offsets.back());
  std::vector<std::uint64_t> next(plan.ghost_offsets.begin(), plan.ghost_offsets.end() - 1);
  for (std::size_t v = 0; v < own; ++v)
    for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
      if (local[i] >= own) plan.ghost_rows[next[local[i] - own]++] = static_cast<vertex_handle>(v);
  return plan;
}

}  // namespace perdure::graph::detail
