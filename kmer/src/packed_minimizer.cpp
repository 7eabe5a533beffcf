// Minimizers are divided by the highest bits of their hashes first, in place, into parts of a few dozen.
#include "packed_minimizer.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace perdure::kmer::detail {

void sort_by_hash(std::span<packed_minimizer> all, std::uint64_t least, std::uint64_t greatest) {
  constexpr std::size_t part_size = 32;
  constexpr unsigned most_bits = 12;
  const auto is_before = [](const packed_minimizer& a, const packed_minimizer& b) {
    return a.hash() < b.hash();
  };
  const unsigned bits = std::min(static_cast<unsigned>(std::bit_width(all.size() / part_size)), most_bits);
  if (bits == 0) return std::sort(all.begin(), all.end(), is_before);
  const unsigned width = static_cast<unsigned>(std::bit_width(greatest - least));
  const unsigned shift = width - std::min(width, bits);
  const auto part_of = [&](const packed_minimizer& one) { return (one.hash() - least) >> shift; };
  const std::size_t parts = std::size_t{1} << bits;
  std::vector<std::size_t> next(parts + 1);
  for (const packed_minimizer& one : all) ++next[part_of(one) + 1];
  for (std::size_t i = 0; i < parts; ++i) next[i + 1] += next[i];
  const std::vector<std::size_t> begins = next;
  for (std::size_t part = 0; part < parts; ++part) {
    while (next[part] < begins[part + 1]) {
      packed_minimizer one = all[next[part]];
      for (std::size_t to = part_of(one); to != part; to = part_of(one)) std::swap(one, all[next[to]++]);
      all[next[part]++] = one;
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begins[part]),
              all.begin() + static_cast<std::ptrdiff_t>(begins[part + 1]), is_before);
  }
}

}  // namespace perdure::kmer::detail
