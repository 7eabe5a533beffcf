// Finds the ghosts of a rank, and where its vertices are ghosts.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <string>
#include <utility>

namespace perdure::graph::detail {

void rank_plan::throw_unlike(int other) const {
  throw error(errc::damaged, "the graph's parts of ranks " + std::to_string(rank) + " and " +
                                 std::to_string(other) + " have different edges between them");
}

const rank_plan::neighbour& rank_plan::neighbour_at(int other) const {
  const auto at = std::lower_bound(neighbours.begin(), neighbours.end(), other,
                                   [](const neighbour& one, int wanted) { return one.rank < wanted; });
  if (at == neighbours.end() || at->rank != other) throw_unlike(other);
  return *at;
}

vertex_handle rank_plan::local(vertex_id v) const noexcept {
  if (v >= first() && v - first() < own()) return static_cast<vertex_handle>(v - first());
  const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), v);
  return at != ghosts.end() && *at == v ? static_cast<vertex_handle>(own() + (at - ghosts.begin()))
                                        : no_vertex;
}

void rank_plan::find_ghosts(neighbour& other) const noexcept {
  const auto at = bounds.begin() + other.rank;
  const auto begin = std::lower_bound(ghosts.begin(), ghosts.end(), *at);
  const auto end = std::lower_bound(begin, ghosts.end(), *std::next(at));
  other.first_ghost = static_cast<std::size_t>(begin - ghosts.begin());
  other.ghosts = static_cast<std::size_t>(end - begin);
}

rank_plan rank_plan::of(std::vector<std::uint64_t> bounds, int rank, std::span<const std::uint64_t> offsets,
                        std::span<const vertex_id> targets, std::vector<vertex_handle>& local) {
  if (bounds.size() == 2) {
    local.assign(targets.begin(), targets.end());
    return lone(bounds.back());
  }
  std::vector<vertex_id> others;
  const std::uint64_t first = bounds[static_cast<std::size_t>(rank)];
  const std::uint64_t end = bounds[static_cast<std::size_t>(rank) + 1];
  std::copy_if(targets.begin(), targets.end(), std::back_inserter(others),
               [=](vertex_id v) { return v < first || v >= end; });
  rank_plan plan = with_ghosts(std::move(bounds), rank, std::move(others));
  local.resize(targets.size());
  std::transform(targets.begin(), targets.end(), local.begin(), [&](vertex_id v) { return plan.local(v); });
  plan.plan_rows(offsets, local);
  return plan;
}

rank_plan rank_plan::with_ghosts(std::vector<std::uint64_t> bounds, int rank, std::vector<vertex_id> ghosts) {
  rank_plan plan;
  plan.bounds = std::move(bounds);
  plan.rank = rank;
  if (plan.bounds.size() == 2) return plan;
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  ghosts.shrink_to_fit();
  plan.ghosts = std::move(ghosts);
  const std::size_t own = plan.own();
  const std::size_t seen_here = plan.ghosts.size();
  if (own > most_vertices || seen_here > most_vertices - own)
    throw error(errc::unsupported,
                "rank " + std::to_string(rank) + " would number " + std::to_string(own + seen_here) +
                    " vertices and ghosts, and a rank can number 2^32 - 1: take more ranks");
  return plan;
}

void rank_plan::plan_rows(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets) {
  if (bounds.size() == 2) return;
  const std::size_t own_here = own();
  const std::size_t seen_here = ghosts.size();
  std::vector<std::uint32_t> neighbour_of(seen_here);
  for (std::size_t ghost = 0; ghost < seen_here; ++ghost) {
    const int there = owner(ghosts[ghost]);
    if (neighbours.empty() || neighbours.back().rank != there) neighbours.push_back({there, {}, ghost, 0});
    ++neighbours.back().ghosts;
    neighbour_of[ghost] = static_cast<std::uint32_t>(neighbours.size() - 1);
  }

  struct ghost_arc {
    vertex_handle ghost;
    vertex_handle row;
  };
  std::vector<ghost_arc> arcs;
  for (std::size_t v = 0; v < own_here; ++v)
    for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
      if (targets[i] >= own_here)
        arcs.push_back({static_cast<vertex_handle>(targets[i] - own_here), static_cast<vertex_handle>(v)});
  std::vector<std::uint64_t> begins(seen_here + 1);
  std::vector<std::vector<vertex_handle>> seen_by(neighbours.size());
  for (const auto& [ghost, row] : arcs) {
    ++begins[ghost + std::size_t{1}];
    auto& rows = seen_by[neighbour_of[ghost]];
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  std::vector<vertex_handle> all_seen;
  for (const auto& some : seen_by) all_seen.insert(all_seen.end(), some.begin(), some.end());
  seen = std::move(all_seen);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < seen_by.size(); ++i) {
    neighbours[i].seen = seen.span().subspan(begin, seen_by[i].size());
    begin += seen_by[i].size();
  }

  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<vertex_handle> rows(begins.back());
  std::vector<std::uint64_t> next(begins.begin(), begins.end() - 1);
  for (const auto& [ghost, row] : arcs) rows[next[ghost]++] = row;
  ghost_offsets = std::move(begins);
  ghost_rows = std::move(rows);
}

mirror_table::mirror_table(const rank_plan& plan) {
  if (plan.bounds.size() == 2) return;
  offsets_.assign(plan.own() + 1, 0);
  for (const vertex_handle v : plan.seen) ++offsets_[v + std::size_t{1}];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  mirrors_.resize(plan.seen.size());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t index = 0; index < plan.neighbours.size(); ++index) {
    const std::span<const vertex_handle> seen = plan.neighbours[index].seen;
    for (std::uint32_t place = 0; place < seen.size(); ++place)
      mirrors_[next[seen[place]]++] = {index, place};
  }
}

}  // namespace perdure::graph::detail
