// Finds what is wrong with the rows of ranks.
#include "ranks/sound_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/workload/counted_random.hpp>
#include <vector>

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
  if (!rows.ids.empty() && rows.ids.size() + 1 != rows.offsets.size())
    return whose + " have " + std::to_string(rows.offsets.size() - 1) + " vertices and " +
           std::to_string(rows.ids.size()) + " ids";
  return {};
}

/// Collective. Throws unless each arc is there from both ends, with the same weight: arcs to larger numbers
/// count up, those to smaller ones down.
void require_symmetric(const rank_rows& rows, rank_exchange& ranks) {
  const vertex_id first = rows.bounds[static_cast<std::size_t>(ranks.rank())];
  std::array<std::uint64_t, 1> difference{0};
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row)
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const vertex_id v = first + row;
      const vertex_id u = rows.targets[i];
      if (u == v) continue;
      const std::uint64_t weight = rows.weights.empty() ? 0 : std::bit_cast<std::uint64_t>(rows.weights[i]);
      const std::uint64_t arc = workload::mixed(
          workload::random_number(workload::random_number(workload::golden_step, std::min(u, v)),
                                  std::max(u, v)) ^
          weight);
      difference[0] += u > v ? arc : ~arc + 1;
    }
  ranks.add_up(difference);
  if (difference[0] != 0)
    throw error(errc::invalid_argument,
                "the graph of the ranks is not symmetric: each edge must be in the rows of both its ends, as "
                "often and with the same weight");
}

}  // namespace

void require_same(std::uint64_t number, rank_exchange& ranks, const std::string& what) {
  for (const std::uint64_t other : ranks.gather(number))
    if (other != number)
      throw error(errc::invalid_argument,
                  "the ranks have different " + what + ": each must be given the same");
}

void require_part(const rank_graph& graph, const rank_exchange& ranks) {
  if (graph.ranks() != ranks.size() || graph.rank() != ranks.rank())
    throw error(errc::invalid_argument, "the graph is part " + std::to_string(graph.rank()) + " of " +
                                            std::to_string(graph.ranks()) + ", and this is rank " +
                                            std::to_string(ranks.rank()) + " of " +
                                            std::to_string(ranks.size()));
}

void require_sound(const rank_rows& rows, rank_exchange& ranks) {
  const std::string fault = fault_in(rows, ranks);
  throw_first_error(ranks,
                    fault.empty() ? std::nullopt : std::optional(error(errc::invalid_argument, fault)));
  std::uint64_t bounds = 0;
  for (const std::uint64_t bound : rows.bounds) bounds = workload::random_number(bounds, bound);
  require_same(bounds, ranks, "bounds");
  require_symmetric(rows, ranks);
}

}  // namespace perdure::graph::detail
