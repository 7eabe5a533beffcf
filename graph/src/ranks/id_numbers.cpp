// Sorts ids over ranks: by samples of all of them each rank gets a range of about the same size.
#include "ranks/id_numbers.hpp"

#include <algorithm>
#include <iterator>

#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {
namespace {

constexpr std::size_t samples_a_rank = 64;

/// Collective. Returns the first id of each rank but rank 0.
std::vector<vertex_id> splitters_of(const std::vector<vertex_id>& given, rank_exchange& ranks) {
  std::vector<vertex_id> samples;
  const std::size_t own = std::min(given.size(), samples_a_rank);
  for (std::size_t i = 0; i < own; ++i) samples.push_back(given[i * given.size() / own]);
  outgoing messages(ranks);
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank())
      for (const vertex_id sample : samples) pack(messages.to(rank), sample);
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) samples.push_back(bytes.take<vertex_id>());
  std::sort(samples.begin(), samples.end());
  std::vector<vertex_id> splitters;
  const auto parts = static_cast<std::size_t>(ranks.size());
  for (std::size_t rank = 1; rank < parts && !samples.empty(); ++rank)
    splitters.push_back(samples[rank * samples.size() / parts]);
  return splitters;
}

}  // namespace

id_numbers number_ids(const std::vector<vertex_id>& given, rank_exchange& ranks) {
  const std::vector<vertex_id> splitters = splitters_of(given, ranks);
  // Each rank gets a range of the given ids, as they are in order.
  std::vector<std::size_t> begins{0};
  for (const vertex_id splitter : splitters)
    begins.push_back(
        static_cast<std::size_t>(std::lower_bound(given.begin(), given.end(), splitter) - given.begin()));
  begins.resize(static_cast<std::size_t>(ranks.size()) + 1, given.size());

  outgoing messages(ranks);
  const auto own = static_cast<std::size_t>(ranks.rank());
  for (std::size_t rank = 0; rank + 1 < begins.size(); ++rank)
    if (rank != own)
      for (std::size_t i = begins[rank]; i < begins[rank + 1]; ++i)
        pack(messages.to(static_cast<int>(rank)), given[i]);
  const std::vector<rank_message> heard = messages.exchange();

  id_numbers numbers;
  numbers.own.assign(given.begin() + static_cast<std::ptrdiff_t>(begins[own]),
                     given.begin() + static_cast<std::ptrdiff_t>(begins[own + 1]));
  for (const rank_message& one : heard)
    for (unpacker bytes(one.bytes); !bytes.empty();) numbers.own.push_back(bytes.take<vertex_id>());
  std::sort(numbers.own.begin(), numbers.own.end());
  numbers.own.erase(std::unique(numbers.own.begin(), numbers.own.end()), numbers.own.end());
  numbers.bounds = sums_before(numbers.own.size(), ranks);

  const auto number_of = [&](vertex_id id) {
    const auto at = std::lower_bound(numbers.own.begin(), numbers.own.end(), id);
    return numbers.bounds[own] + static_cast<std::uint64_t>(at - numbers.own.begin());
  };
  for (const rank_message& one : heard)
    for (unpacker bytes(one.bytes); !bytes.empty();)
      pack(messages.to(one.rank), number_of(bytes.take<vertex_id>()));
  numbers.asked.resize(given.size());
  for (std::size_t i = begins[own]; i < begins[own + 1]; ++i) numbers.asked[i] = number_of(given[i]);
  for (const rank_message& one : messages.exchange()) {
    std::size_t i = begins[static_cast<std::size_t>(one.rank)];
    for (unpacker bytes(one.bytes); !bytes.empty();) numbers.asked[i++] = bytes.take<std::uint64_t>();
  }
  return numbers;
}

}  // namespace perdure::graph::detail
