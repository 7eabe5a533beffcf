// Sorts entries by their hashes with little memory, by runs in a store.
//
// Each thread fills a buffer with entries, and puts it away as a sorted run. Then runs are merged, a range of
// hashes after the other. Runs and merged entries are written past the store's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <perdure/manager.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint_pace.hpp"
#include "genome_scan.hpp"
#include "sort_by_hash.hpp"
#include "stored_sort.hpp"

namespace perdure::kmer::detail {

/// Memory of a sort, and its threads.
struct sort_memory {
  static constexpr std::uint64_t least_of_thread = std::uint64_t{1} << 18;

  /// `bytes` is for entries and what they are made of.
  sort_memory(std::uint64_t all, unsigned wanted_threads)
      : bytes(all),
        threads(static_cast<unsigned>(std::clamp<std::uint64_t>(
            wanted_threads, 1, std::max<std::uint64_t>(all / least_of_thread, 1)))) {}

  std::uint64_t bytes;
  unsigned threads;
};

/// Returns how much of the genomes is scanned at a time: entries of a piece take up to `bytes_of_base` for
/// each base.
inline scan_sizes sizes_of_scan(const sort_memory& memory, std::size_t bytes_of_base) {
  constexpr std::size_t least_bases = 4096;
  return {std::min<std::size_t>(memory.bytes / 4, scan_sizes().batch_bytes),
          std::clamp<std::size_t>(memory.bytes / memory.threads / 4 / bytes_of_base, least_bases,
                                  scan_sizes().piece_bases)};
}

/// An `Entry` has functions `hash_of(entry)` and `comes_before(entry, entry)`.
///
/// Thread safety: `add` from any thread; the others while nobody adds.
template <class Entry>
class external_sort {
 public:
  /// Gets sorted entries, joins those that belong together, and returns how many are left, which are the
  /// first ones then.
  using join_entries = std::function<std::size_t(std::span<Entry>)>;

  external_sort(manager& store, stored_sort<Entry>& sorted, const sort_memory& memory, checkpoint_pace& pace,
                join_entries join)
      : store_(store),
        sorted_(sorted),
        memory_(memory),
        pace_(pace),
        join_(std::move(join)),
        // A quarter is for what was scanned and is not in buffers yet.
        capacity_(std::min<std::uint64_t>(memory.bytes / memory.threads / 4 * 3 / sizeof(Entry),
                                          std::uint64_t{1} << 31)) {}

  void begin() {
    buffers_.resize(memory_.threads);
    for (buffer& one : buffers_) one.reserve(capacity_);
    idle_.resize(memory_.threads);
    std::iota(idle_.begin(), idle_.end(), std::size_t{0});
  }
  /// Takes the entries that `entry_of` makes of some. It returns none for those that are left out.
  template <class Made, class EntryOf>
  void add(std::span<const Made> some, const EntryOf& entry_of) {
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = idle_.back();
      idle_.pop_back();
    }
    buffer& to = buffers_[number];
    for (const Made& one : some) {
      const auto entry = entry_of(one);
      if (!entry) continue;
      if (to.size() == capacity_) {
        compact(to);
        if (to.size() > capacity_ / 2) put_away(to);
      }
      to.push_back(*entry);
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(number);
  }
  /// Returns whether a checkpoint is due, and would not make short runs.
  bool is_checkpoint_due() const {
    if (!pace_.is_due()) return false;
    std::uint64_t collected = in_runs_;
    for (const buffer& one : buffers_) collected += one.size();
    return collected >= capacity_ * memory_.threads / 4;
  }
  /// Makes runs of all that was added.
  void empty_buffers() {
    workload::parallel_for(memory_.threads, buffers_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        compact(buffers_[i]);
        put_away(buffers_[i]);
      }
    });
    in_runs_ = 0;
  }
  /// Ends adding.
  void end() {
    empty_buffers();
    buffers_.clear();
    std::uint64_t total = 0;
    for (const stored_run<Entry>& run : sorted_.runs) total += run.entries.size;
    sorted_.merged.room.reserve(total);
  }
  /// Merges all runs, and drops them. `on_merged(entries)` gets what was merged, in order, and
  /// `report(done, total)` the number of entries of runs that were read.
  template <class OnMerged, class Report>
  void merge(const OnMerged& on_merged, const Report& report) {
    // Added up once: reading it of all runs for each range would bring in pages of each.
    std::vector<std::uint64_t> sizes(run_ranges);
    for (const stored_run<Entry>& run : sorted_.runs)
      for (std::uint64_t range = 0; range < run_ranges; ++range)
        sizes[range] += run.starts[range + 1] - run.starts[range];
    const std::uint64_t total = std::accumulate(
        sizes.begin() + static_cast<std::ptrdiff_t>(sorted_.merged_ranges), sizes.end(), std::uint64_t{0});
    std::uint64_t done = 0;
    std::vector<buffer> pieces(memory_.threads);
    while (sorted_.merged_ranges < run_ranges) {
      const std::vector<std::uint64_t> cuts = next_cuts(sizes);
      for (std::uint64_t range = cuts.front(); range < cuts.back(); ++range) done += sizes[range];
      pieces.resize(cuts.size() - 1);
      workload::parallel_for(memory_.threads, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) gather(pieces[i], cuts[i], cuts[i + 1]);
      });
      for (const buffer& piece : pieces) {
        sorted_.merged.append(store_.store(), piece);
        on_merged(std::span<const Entry>(piece));
      }
      store_.trim();  // What was read of runs is in memory.
      sorted_.merged_ranges = cuts.back();
      report(done, total);
      if (sorted_.merged_ranges < run_ranges && pace_.is_due()) pace_.checkpoint();
    }
    drop(sorted_.runs);
  }

 private:
  using buffer = std::vector<Entry>;

  static constexpr unsigned range_shift = 64 - run_range_bits;

  /// Returns where each range of a run begins, and its end.
  static std::vector<std::uint32_t> starts_of(std::span<const Entry> run) {
    std::vector<std::uint32_t> starts;
    starts.reserve(run_ranges + 1);
    for (std::uint32_t i = 0; i < run.size(); ++i)
      while (starts.size() <= hash_of(run[i]) >> range_shift) starts.push_back(i);
    starts.resize(run_ranges + 1, static_cast<std::uint32_t>(run.size()));
    return starts;
  }
  void compact(buffer& full) const {
    sort_by_hash(std::span(full), 0, ~std::uint64_t{0});
    full.resize(join_(full));
  }
  /// Makes a run of a sorted buffer.
  void put_away(buffer& full) {
    if (full.empty()) return;
    const std::vector<std::uint32_t> starts = starts_of(full);
    Entry* to = nullptr;
    {
      const std::lock_guard lock(mutex_);
      stored_run<Entry>& run = sorted_.runs.emplace_back();
      run.starts = starts;
      run.entries.room.reserve(full.size());
      run.entries.size = full.size();
      to = run.entries.room.data();
      in_runs_ += full.size();
    }
    store_.store().copy_in(to, std::as_bytes(std::span(full)));
    full.clear();
  }
  /// Divides the next ranges into pieces, one for each thread, that fit in memory.
  std::vector<std::uint64_t> next_cuts(const std::vector<std::uint64_t>& sizes) const {
    const std::uint64_t most = memory_.bytes / memory_.threads / sizeof(Entry);
    std::vector<std::uint64_t> cuts{sorted_.merged_ranges};
    while (cuts.size() <= memory_.threads && cuts.back() < run_ranges) {
      std::uint64_t end = cuts.back();
      std::uint64_t size = sizes[end];
      while (++end < run_ranges && size + sizes[end] <= most) size += sizes[end];
      cuts.push_back(end);
    }
    return cuts;
  }
  /// Copies the entries of ranges from all runs, and joins them.
  void gather(buffer& piece, std::uint64_t first_range, std::uint64_t last_range) const {
    std::uint64_t size = 0;
    for (const stored_run<Entry>& run : sorted_.runs)
      size += run.starts[last_range] - run.starts[first_range];
    piece.resize(size);
    std::span<Entry> left(piece);
    for (const stored_run<Entry>& run : sorted_.runs) {
      const std::uint32_t begin = run.starts[first_range];
      const std::uint32_t count = run.starts[last_range] - begin;
      run.entries.read(store_.store(), begin, left.first(count));
      left = left.subspan(count);
    }
    sort_by_hash(std::span(piece), first_range << range_shift, (last_range << range_shift) - 1);
    piece.resize(join_(piece));
  }

  manager& store_;
  stored_sort<Entry>& sorted_;
  sort_memory memory_;
  checkpoint_pace& pace_;
  join_entries join_;
  std::size_t capacity_;  // entries of a buffer
  std::mutex mutex_;      // of all below, and of the runs
  std::vector<buffer> buffers_;
  std::vector<std::size_t> idle_;  // numbers of buffers that no thread fills
  std::uint64_t in_runs_ = 0;      // entries put away since the last checkpoint
};

}  // namespace perdure::kmer::detail
