// Pages of an exact index's table, made of k-mers in the order of their hashes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/exact_table.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>

#include "taxon_sets.hpp"

namespace perdure::kmer::detail {

/// Returns the layout of pages with `sets` sets that has the shortest keys that say all hashes.
/// `kmers[place]` is the k-mer of a place from 0 to `count`; places rise for each width that is tried.
template <class Kmers>
exact_page_layout layout_of_pages(const Kmers& kmers, std::uint64_t count, std::uint64_t sets,
                                  unsigned hash_bits) {
  exact_page_layout layout;
  layout.unused_bits = 64 - hash_bits;
  layout.number_bytes = std::max((static_cast<unsigned>(std::bit_width(sets - 1)) + 7) / 8, 1U);
  const auto fits = [&] {
    const std::uint64_t capacity = layout.capacity();
    for (std::uint64_t begin = 0; begin < count; begin += capacity) {
      const std::uint64_t first = begin == 0 ? 0 : kmers[begin].hash();
      const std::uint64_t last = kmers[std::min(begin + capacity, count) - 1].hash();
      if (static_cast<unsigned>(std::bit_width((last - first) >> layout.unused_bits)) > 8 * layout.key_bytes)
        return false;
    }
    return true;
  };
  for (layout.key_bytes = 1; layout.key_bytes < 8 && !fits();) ++layout.key_bytes;
  return layout;
}

/// Fills pages from number `first_page` on, and their first hashes, of a table of `count` k-mers.
template <class Kmers>
void fill_exact_pages(std::span<exact_page> pages, std::span<std::uint64_t> firsts, std::uint64_t first_page,
                      const Kmers& kmers, std::uint64_t count, const exact_page_layout& layout,
                      unsigned threads) {
  const auto put = [](std::uint8_t* to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  const std::uint64_t capacity = layout.capacity();
  constexpr std::size_t grain = 64;
  workload::parallel_for(threads, pages.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      exact_page& page = pages[i];
      const std::uint64_t place = (first_page + i) * capacity;
      firsts[i] = place == 0 ? 0 : kmers[place].hash();
      page.used = std::min(capacity, count - place);
      for (std::size_t j = 0; j < page.used; ++j) {
        const numbered_kmer one = kmers[place + j];
        put(page.bytes.data() + j * layout.key_bytes, (one.hash() - firsts[i]) >> layout.unused_bits,
            layout.key_bytes);
        put(page.bytes.data() + capacity * layout.key_bytes + j * layout.number_bytes, one.set,
            layout.number_bytes);
      }
    }
  });
}

}  // namespace perdure::kmer::detail
