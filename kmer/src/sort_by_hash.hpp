// Entries in the order of their hashes, sorted in place.
//
// Entries are divided by the highest bits of their hashes first, into parts of a few dozen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace perdure::kmer::detail {

/// Sorts entries by `comes_before`, which orders them first by their hash (`hash_of`). All hashes are from
/// `least` to `greatest`, and are spread evenly for the most part. Takes no memory in proportion to the
/// entries.
template <class Entry>
void sort_by_hash(std::span<Entry> all, std::uint64_t least, std::uint64_t greatest) {
  constexpr std::size_t part_size = 32;
  constexpr unsigned most_bits = 12;
  const auto is_before = [](const Entry& a, const Entry& b) { return comes_before(a, b); };
  const unsigned bits = std::min(static_cast<unsigned>(std::bit_width(all.size() / part_size)), most_bits);
  if (bits == 0) return std::sort(all.begin(), all.end(), is_before);
  const auto width = static_cast<unsigned>(std::bit_width(greatest - least));
  const unsigned shift = width - std::min(width, bits);
  const auto part_of = [&](const Entry& one) { return (hash_of(one) - least) >> shift; };
  const std::size_t parts = std::size_t{1} << bits;
  std::vector<std::size_t> next(parts + 1);
  for (const Entry& one : all) ++next[part_of(one) + 1];
  for (std::size_t i = 0; i < parts; ++i) next[i + 1] += next[i];
  const std::vector<std::size_t> begins = next;
  for (std::size_t part = 0; part < parts; ++part) {
    while (next[part] < begins[part + 1]) {
      Entry one = all[next[part]];
      for (std::size_t to = part_of(one); to != part; to = part_of(one)) std::swap(one, all[next[to]++]);
      all[next[part]++] = one;
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begins[part]),
              all.begin() + static_cast<std::ptrdiff_t>(begins[part + 1]), is_before);
  }
}

}  // namespace perdure::kmer::detail
