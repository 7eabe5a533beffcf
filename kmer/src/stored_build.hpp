// An index that is being built with a budget, as an object in its store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/datastore.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>

#include "packed_minimizer.hpp"

namespace perdure::kmer::detail {

/// Minimizers in a store that are written and read past its memory.
struct stored_minimizers {
  const packed_minimizer* data() const noexcept { return room.data(); }
  /// Makes room for the next `number` minimizers, of which all fit in what was reserved. The caller copies
  /// them there.
  packed_minimizer* extend(std::uint64_t number) noexcept {
    size += number;
    return room.data() + (size - number);
  }
  /// Copies minimizers from number `first` on.
  void read(datastore& store, std::uint64_t first, std::span<packed_minimizer> to) const {
    const packed_minimizer* const from = data() + first;
    if (to.size_bytes() < datastore::least_past_memory) store.prefetch(from, to.size_bytes());
    store.copy_out(std::as_writable_bytes(to), from);
  }

  perdure::vector<packed_minimizer> room;  ///< has no elements: what it has reserved holds the minimizers
  std::uint64_t size = 0;
};

/// Minimizers that were sorted together, each once.
struct stored_run {
  /// Hashes are divided into this many ranges of the same width.
  static constexpr unsigned range_bits = 12;
  static constexpr std::uint64_t ranges = std::uint64_t{1} << range_bits;

  stored_minimizers minimizers;
  perdure::vector<std::uint32_t> starts;  ///< number of the first minimizer of each range, and of all
};

enum class build_stage : std::uint32_t { collecting, merging, filling };

struct stored_build {
  build_stage stage = build_stage::collecting;
  // What the runs have.
  std::uint64_t file = 0;     ///< number of files that were read to their end
  std::uint64_t records = 0;  ///< number of records of the next file
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t skipped = 0;
  perdure::vector<char> names;  ///< of all sequences, a line each
  perdure::vector<stored_run> runs;
  // Minimizers of all runs, each once, by hash.
  std::uint64_t merged_ranges = 0;
  stored_minimizers merged;
  perdure::vector<std::uint8_t> used;  ///< for each node of the taxonomy whether a minimizer has it
  // The layer, as far as it is filled.
  std::uint64_t pages = 0;     ///< number of pages that the table will have
  std::uint64_t in_layer = 0;  ///< number of minimizers that are in pages
  stored_layer layer;
};

}  // namespace perdure::kmer::detail
