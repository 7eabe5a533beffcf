// Asks the owners of vertices for values, in two rounds of messages: questions, answers.
#include "ranks/fetched_values.hpp"

#include <algorithm>
#include <cstddef>

#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {

std::vector<std::uint64_t> fetched(const rank_plan& plan, rank_exchange& ranks,
                                   const std::vector<vertex_id>& wanted,
                                   std::span<const std::uint64_t> known) {
  std::vector<std::uint64_t> found(wanted.size());
  if (ranks.size() == 1) {
    for (std::size_t i = 0; i < wanted.size(); ++i) found[i] = known[wanted[i]];
    return found;
  }
  std::vector<vertex_id> distinct = wanted;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint64_t> values(distinct.size());
  outgoing questions(ranks);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const int owner = plan.owner(distinct[i]);
    if (owner == ranks.rank()) {
      values[i] = known[distinct[i] - plan.first()];
    } else {
      pack(questions.to(owner), distinct[i]);
    }
  }
  outgoing answers(ranks);
  for (const rank_message& one : questions.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();)
      pack(answers.to(one.rank), known[bytes.take<vertex_id>() - plan.first()]);
  // A rank's vertices are consecutive, and so are their answers.
  for (const rank_message& one : answers.exchange()) {
    auto at = static_cast<std::size_t>(
        std::lower_bound(distinct.begin(), distinct.end(), plan.bounds[static_cast<std::size_t>(one.rank)]) -
        distinct.begin());
    for (unpacker bytes(one.bytes); !bytes.empty();) values[at++] = bytes.take<std::uint64_t>();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    found[i] = values[static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), wanted[i]) -
                                               distinct.begin())];
  return found;
}

}  // namespace perdure::graph::detail
