// Orders rows, and calls their vertices by the numbers that a rank has for them.
#include "ranks/numbered_rows.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {

void order_rows(rank_rows& rows, unsigned threads) {
  each_vertex(threads, rows.offsets.size() - 1, [&](vertex_handle v) {
    const std::uint64_t begin = rows.offsets[v];
    const std::uint64_t end = rows.offsets[v + std::size_t{1}];
    const auto targets = rows.targets.begin();
    if (rows.weights.empty()) {
      std::sort(targets + static_cast<std::ptrdiff_t>(begin), targets + static_cast<std::ptrdiff_t>(end));
      return;
    }
    std::vector<std::pair<vertex_id, double>> row;
    row.reserve(end - begin);
    for (std::uint64_t i = begin; i < end; ++i) row.emplace_back(rows.targets[i], rows.weights[i]);
    // Weights may be anything, NaN too.
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : std::strong_order(a.second, b.second) < 0;
    });
    for (std::uint64_t i = begin; i < end; ++i) std::tie(rows.targets[i], rows.weights[i]) = row[i - begin];
  });
}

bool are_simple(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets) noexcept {
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v)
    for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
      if (targets[i] == v || (i != offsets[v] && targets[i] == targets[i - 1])) return false;
  return true;
}

rank_graph graph_of_rows(rank_rows rows, int rank) {
  rank_graph_parts parts;
  std::vector<vertex_handle> local;
  parts.plan = rank_plan::of(std::move(rows.bounds), rank, rows.offsets, rows.targets, local);
  parts.is_simple = are_simple(rows.offsets, local);
  parts.offsets = std::move(rows.offsets);
  parts.targets = std::move(local);
  parts.weights = std::move(rows.weights);
  parts.ids = std::move(rows.ids);
  return rank_graph(std::move(parts));
}

}  // namespace detail

rank_graph rank_graph::of(const rank_rows& rows, rank_exchange& ranks, unsigned threads) {
  detail::require_sound(rows, ranks);
  return joint_call(ranks, [&] {
    rank_rows own = rows;
    detail::order_rows(own, threads);
    return detail::graph_of_rows(std::move(own), ranks.rank());
  });
}

}  // namespace perdure::graph
