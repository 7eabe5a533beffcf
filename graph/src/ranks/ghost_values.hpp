// Values of vertices for the ranks that see them.
#pragma once

#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>

#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {

/// Collective. Sends `value_of(v)` of each own vertex to the ranks that see it, and calls `take(ghost,
/// value)` for each ghost.
template <class Value, class ValueOf, class Take>
void exchange_with_ghosts(const rank_plan& plan, rank_exchange& ranks, const ValueOf& value_of,
                          const Take& take) {
  outgoing messages(ranks);
  for (const rank_plan::neighbour& other : plan.neighbours)
    for (const vertex_handle v : other.seen) pack(messages.to(other.rank), Value{value_of(v)});
  for (const rank_message& one : messages.exchange()) {
    unpacker bytes(one.bytes);
    const rank_plan::neighbour& from = plan.neighbour_at(one.rank);
    if (one.bytes.size() != from.ghosts * sizeof(Value)) plan.throw_unlike(one.rank);
    for (std::size_t place = 0; place < from.ghosts; ++place)
      take(plan.ghost_at(from, place), bytes.take<Value>());
  }
}

}  // namespace perdure::graph::detail
