// Entries that are sorted with little memory, as part of an object in a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/container/vector.hpp>
#include <perdure/datastore.hpp>
#include <span>

namespace perdure::kmer::detail {

/// Entries in a store that are written and read past its memory.
template <class Entry>
struct stored_entries {
  const Entry* data() const noexcept { return room.data(); }
  /// Writes entries behind the last. All fit in what was reserved.
  void append(datastore& store, std::span<const Entry> some) {
    Entry* const to = room.data() + size;
    size += some.size();
    store.copy_in(to, std::as_bytes(some));
  }
  /// Copies entries from number `first` on.
  void read(datastore& store, std::uint64_t first, std::span<Entry> to) const {
    const Entry* const from = data() + first;
    if (to.size_bytes() < datastore::least_past_memory) store.prefetch(from, to.size_bytes());
    store.copy_out(std::as_writable_bytes(to), from);
  }

  perdure::vector<Entry> room;  ///< has no elements: what it has reserved holds the entries
  std::uint64_t size = 0;
};

/// Hashes are divided into this many ranges of the same width.
inline constexpr unsigned run_range_bits = 12;
inline constexpr std::uint64_t run_ranges = std::uint64_t{1} << run_range_bits;

/// Entries that were sorted together.
template <class Entry>
struct stored_run {
  stored_entries<Entry> entries;
  perdure::vector<std::uint32_t> starts;  ///< number of the first entry of each range, and of all
};

template <class Entry>
struct stored_sort {
  perdure::vector<stored_run<Entry>> runs;
  // Entries of all runs by hash, those that belong together joined.
  std::uint64_t merged_ranges = 0;
  stored_entries<Entry> merged;
};

/// Frees the memory of a vector in a store.
template <class T>
void drop(perdure::vector<T>& all) {
  all.clear();
  all.shrink_to_fit();
}

}  // namespace perdure::kmer::detail
