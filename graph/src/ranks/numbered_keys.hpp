// Keys of all ranks, sorted and numbered: by samples each rank gets a range of about the same size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <vector>

#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {

/// Keys numbered 0, 1, 2, … in ascending order over all ranks.
template <class Key>
struct numbered_keys {
  std::vector<std::uint64_t> bounds;  ///< ranges of numbers whose keys each rank has
  std::vector<Key> own;               ///< the keys of this rank's range
  std::vector<std::uint64_t> asked;   ///< the number of each key that this rank has given
};

/// Collective. Returns the first key of each rank but rank 0.
template <class Key>
std::vector<Key> splitters_of(const std::vector<Key>& given, rank_exchange& ranks) {
  constexpr std::size_t samples_a_rank = 64;
  std::vector<Key> samples;
  const std::size_t own = std::min(given.size(), samples_a_rank);
  for (std::size_t i = 0; i < own; ++i) samples.push_back(given[i * given.size() / own]);
  outgoing messages(ranks);
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank())
      for (const Key& sample : samples) pack(messages.to(rank), sample);
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) samples.push_back(bytes.take<Key>());
  std::sort(samples.begin(), samples.end());
  std::vector<Key> splitters;
  const auto parts = static_cast<std::size_t>(ranks.size());
  for (std::size_t rank = 1; rank < parts && !samples.empty(); ++rank)
    splitters.push_back(samples[rank * samples.size() / parts]);
  return splitters;
}

/// Collective. Numbers all keys that ranks give. Each gives its own once, in ascending order; several may
/// give the same. O(keys log ranks); sends each key once, and its number back.
template <class Key>
numbered_keys<Key> number_keys(const std::vector<Key>& given, rank_exchange& ranks) {
  // Each rank gets a range of the given keys, as they are in order.
  std::vector<std::size_t> begins{0};
  for (const Key& splitter : splitters_of(given, ranks))
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

  numbered_keys<Key> numbers;
  numbers.own.assign(given.begin() + static_cast<std::ptrdiff_t>(begins[own]),
                     given.begin() + static_cast<std::ptrdiff_t>(begins[own + 1]));
  for (const rank_message& one : heard)
    for (unpacker bytes(one.bytes); !bytes.empty();) numbers.own.push_back(bytes.take<Key>());
  std::sort(numbers.own.begin(), numbers.own.end());
  numbers.own.erase(std::unique(numbers.own.begin(), numbers.own.end()), numbers.own.end());
  numbers.bounds = sums_before(numbers.own.size(), ranks);

  const auto number_of = [&](const Key& key) {
    const auto at = std::lower_bound(numbers.own.begin(), numbers.own.end(), key);
    return numbers.bounds[own] + static_cast<std::uint64_t>(at - numbers.own.begin());
  };
  for (const rank_message& one : heard)
    for (unpacker bytes(one.bytes); !bytes.empty();)
      pack(messages.to(one.rank), number_of(bytes.take<Key>()));
  numbers.asked.resize(given.size());
  for (std::size_t i = begins[own]; i < begins[own + 1]; ++i) numbers.asked[i] = number_of(given[i]);
  for (const rank_message& one : messages.exchange()) {
    std::size_t i = begins[static_cast<std::size_t>(one.rank)];
    for (unpacker bytes(one.bytes); !bytes.empty();) numbers.asked[i++] = bytes.take<std::uint64_t>();
  }
  return numbers;
}

/// Collective. Returns for each key of this rank how many different smaller ones all ranks have. Keys may be
/// in any order, and several may be the same.
template <class Key>
std::vector<std::uint64_t> places_in_order(const std::vector<Key>& keys, rank_exchange& ranks) {
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const std::vector<std::uint64_t> numbers = number_keys(sorted, ranks).asked;
  std::vector<std::uint64_t> places(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    places[i] = numbers[static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) -
                                                 sorted.begin())];
  return places;
}

}  // namespace perdure::graph::detail
