// Numbers the vertices of a rank's rows.
#include "ranks/local_rows.hpp"

#include <algorithm>
#include <perdure/graph/detail/neighbour_rows.hpp>

#include "ranks/sound_rows.hpp"

namespace perdure::graph::detail {

void local_rows::order_by_number(unsigned threads) {
  const auto is_before = [this](vertex_handle a, vertex_handle b) { return plan.number(a) < plan.number(b); };
  each_vertex(threads, size(), [&](vertex_handle v) {
    vertex_handle* const begin = targets.data() + offsets[v];
    vertex_handle* const end = targets.data() + offsets[v + std::size_t{1}];
    if (!std::is_sorted(begin, end, is_before)) std::sort(begin, end, is_before);
  });
}

local_rows local_rows::of(const rank_rows& rows, rank_exchange& ranks) {
  require_sound(rows, ranks, weight_use::none);
  local_rows made;
  made.offsets = rows.offsets;
  made.plan = rank_plan::of(rows.bounds, ranks.rank(), rows.offsets, rows.targets, made.targets);
  return made;
}

}  // namespace perdure::graph::detail
