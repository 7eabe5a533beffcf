// Sends values to rank 0, one rank after the other, a piece at a time.
#include <algorithm>
#include <perdure/graph/ranks/gathered_values.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <vector>

#include "ranks/packed_bytes.hpp"

namespace perdure::graph {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;

}  // namespace

void gather_values(rank_exchange& ranks, std::span<const vertex_id> ids,
                   std::span<const std::uint64_t> values, const value_taker& take) {
  const std::vector<std::uint64_t> counts = ranks.gather(values.size());
  for (int teller = 0; teller < ranks.size(); ++teller)
    for (std::size_t done = 0; done < counts[static_cast<std::size_t>(teller)]; done += piece) {
      const bool tells = ranks.rank() == teller;
      const std::size_t count = tells ? std::min(piece, values.size() - done) : 0;
      detail::outgoing messages(ranks);
      if (tells && teller != 0)
        for (std::size_t i = done; i < done + count; ++i) {
          detail::pack(messages.to(0), ids[i]);
          detail::pack(messages.to(0), values[i]);
        }
      const std::vector<rank_message> heard = messages.exchange();
      joint_call(ranks, [&] {
        if (ranks.rank() != 0) return;
        if (tells) return take(ids.subspan(done, count), values.subspan(done, count));
        std::vector<vertex_id> their_ids;
        std::vector<std::uint64_t> their_values;
        for (const rank_message& one : heard)
          for (detail::unpacker bytes(one.bytes); !bytes.empty();) {
            their_ids.push_back(bytes.take<vertex_id>());
            their_values.push_back(bytes.take<std::uint64_t>());
          }
        take(their_ids, their_values);
      });
    }
}

}  // namespace perdure::graph
