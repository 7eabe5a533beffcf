// The rows of a rank as the graph that communities are looked for in.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/detail/community_graph.hpp>
#include <perdure/graph/detail/counted_random.hpp>
#include <string>
#include <utility>

namespace perdure::graph::detail {
namespace {

/// Returns what is wrong with the rows of a rank, or an empty text.
std::string fault_in(const rank_rows& rows, const rank_exchange& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const std::string whose = "the rows of rank " + std::to_string(rank);
  if (rows.bounds.size() != static_cast<std::size_t>(ranks.size()) + 1 || rows.bounds.front() != 0 ||
      !std::is_sorted(rows.bounds.begin(), rows.bounds.end()))
    return whose + " need " + std::to_string(ranks.size() + 1) +
           " bounds in ascending order, of which the first is 0";
  if (rows.offsets.size() != rows.bounds[rank + 1] - rows.bounds[rank] + 1 || rows.offsets.front() != 0 ||
      rows.offsets.back() != rows.targets.size() || !std::is_sorted(rows.offsets.begin(), rows.offsets.end()))
    return whose + " need an offset for each of its vertices and one behind, from 0 to the number of arcs";
  if (!rows.weights.empty() && rows.weights.size() != rows.targets.size())
    return whose + " have " + std::to_string(rows.targets.size()) + " arcs and " +
           std::to_string(rows.weights.size()) + " weights";
  for (const vertex_id v : rows.targets)
    if (v >= rows.bounds.back())
      return whose + " name vertex " + std::to_string(v) + " of " + std::to_string(rows.bounds.back());
  for (const double weight : rows.weights)
    if (!(weight >= 0 && weight <= std::numeric_limits<double>::max()))
      return "communities need weights that are 0 or more, and an arc of rank " + std::to_string(rank) +
             " weighs " + std::to_string(weight);
  return {};
}

/// Throws unless each arc is there from both ends, with the same weight: arcs to larger numbers count up,
/// those to smaller ones down.
void require_symmetric(const rank_rows& rows, rank_exchange& ranks) {
  const vertex_id first = rows.bounds[static_cast<std::size_t>(ranks.rank())];
  std::uint64_t difference[] = {0};
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row)
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const vertex_id v = first + row;
      const vertex_id u = rows.targets[i];
      if (u == v) continue;
      const std::uint64_t weight = rows.weights.empty() ? 0 : std::bit_cast<std::uint64_t>(rows.weights[i]);
      const std::uint64_t arc =
          mixed(random_number(random_number(golden_step, std::min(u, v)), std::max(u, v)) ^ weight);
      difference[0] += u > v ? arc : ~arc + 1;
    }
  ranks.add_up(difference);
  if (difference[0] != 0)
    throw error(errc::invalid_argument,
                "the graph of the ranks is not symmetric: each edge must be in the rows of both its ends, "
                "with the same weight");
}

void require_sound(const rank_rows& rows, rank_exchange& ranks) {
  const std::string fault = fault_in(rows, ranks);
  const std::vector<std::uint64_t> faults = ranks.gather(fault.empty() ? 0 : 1);
  if (!fault.empty()) throw error(errc::invalid_argument, fault);
  for (std::size_t rank = 0; rank < faults.size(); ++rank)
    if (faults[rank] != 0)
      throw error(errc::invalid_argument,
                  "the rows of rank " + std::to_string(rank) + " are wrong: see its message");
  std::uint64_t bounds = 0;
  for (const std::uint64_t bound : rows.bounds) bounds = random_number(bounds, bound);
  for (const std::uint64_t other : ranks.gather(bounds))
    if (other != bounds)
      throw error(errc::invalid_argument,
                  "the ranks have different bounds: each must have the same first vertex of each rank");
  require_symmetric(rows, ranks);
}

}  // namespace

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
  require_sound(rows, ranks);
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
