// Sends values to rank 0, one rank after the other, a piece at a time.
#include <algorithm>
#include <perdure/graph/ranks/gathered_values.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <utility>
#include <vector>

#include "ranks/packed_bytes.hpp"

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

}  // namespace perdure::graph
