// Sends values to rank 0, one rank after the other, a piece at a time; and to ranks by the order of ids.
#include <algorithm>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/gathered_values.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <utility>
#include <vector>

#include "ranks/numbered_keys.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/rank_division.hpp"

namespace perdure::graph {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;

}  // namespace

void gather_values(rank_exchange& ranks, std::span<const vertex_id> ids,
                   std::span<const std::uint64_t> values, std::size_t columns, const value_taker& take) {
  const std::vector<std::uint64_t> counts = ranks.gather(ids.size());
  for (int teller = 0; teller < ranks.size(); ++teller)
    for (std::size_t done = 0; done < counts[static_cast<std::size_t>(teller)]; done += piece) {
      const bool tells = ranks.rank() == teller;
      const std::size_t count = tells ? std::min(piece, ids.size() - done) : 0;
      const auto some = ids.subspan(tells ? done : 0, count);
      const auto its_values = values.subspan(tells ? done * columns : 0, count * columns);
      detail::outgoing messages(ranks);
      if (tells && teller != 0) {
        for (const vertex_id id : some) detail::pack(messages.to(0), id);
        for (const std::uint64_t value : its_values) detail::pack(messages.to(0), value);
      }
      const std::vector<rank_message> heard = messages.exchange();
      joint_call(ranks, [&] {
        if (ranks.rank() != 0) return;
        if (tells) return take(some, its_values);
        for (const rank_message& one : heard) {
          detail::unpacker bytes(one.bytes);
          std::vector<std::uint64_t> numbers;
          while (!bytes.empty()) numbers.push_back(bytes.take<std::uint64_t>());
          const std::span all(std::as_const(numbers));
          const std::size_t vertices = all.size() / (columns + 1);
          take(all.first(vertices), all.subspan(vertices));
        }
      });
    }
}

void order_by_id(rank_exchange& ranks, std::vector<vertex_id>& ids, std::vector<std::uint64_t>& values,
                 std::size_t columns) {
  if (detail::ascend_over_ranks(ids, ranks)) return;
  const std::vector<std::uint64_t> places = detail::places_in_order(ids, ranks);
  const std::vector<std::uint64_t> bounds =
      detail::even_bounds(detail::sum_of_all(ids.size(), ranks), ranks.size());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const std::uint64_t own = bounds[rank + 1] - bounds[rank];
  std::vector<vertex_id> ordered_ids(own);
  std::vector<std::uint64_t> ordered_values(own * columns);
  detail::outgoing messages(ranks);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int owner = detail::owner_of(bounds, places[i]);
    const std::span of_it = std::span(values).subspan(i * columns, columns);
    if (owner == ranks.rank()) {
      const std::uint64_t place = places[i] - bounds[rank];
      ordered_ids[place] = ids[i];
      std::copy(of_it.begin(), of_it.end(), ordered_values.data() + place * columns);
      continue;
    }
    auto& bytes = messages.to(owner);
    detail::pack(bytes, places[i]);
    detail::pack(bytes, ids[i]);
    for (const std::uint64_t value : of_it) detail::pack(bytes, value);
  }
  for (const rank_message& one : messages.exchange())
    for (detail::unpacker bytes(one.bytes); !bytes.empty();) {
      const std::uint64_t place = bytes.take<std::uint64_t>() - bounds[rank];
      ordered_ids[place] = bytes.take<vertex_id>();
      for (std::size_t column = 0; column < columns; ++column)
        ordered_values[place * columns + column] = bytes.take<std::uint64_t>();
    }
  ids = std::move(ordered_ids);
  values = std::move(ordered_values);
}

}  // namespace perdure::graph
