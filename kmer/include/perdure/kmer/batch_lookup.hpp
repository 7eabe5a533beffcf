// Finds the taxa of many minimizers in an index that is larger than memory.
//
//     kmer::batch_lookup lookups(index, {.threads = 8});
//     std::vector<std::uint32_t> taxa(runs.size());
//     const kmer::wanted_taxa wanted[] = {{runs, taxa}};
//     lookups.find(wanted);
//
// Look-ups are put into the order of the tables, which are then read in pieces, past the memory of the store.
// Two plans find the same taxa: one reads the pages that look-ups need, the other all pages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <span>
#include <vector>

namespace perdure::kmer {

/// How the pages of an index are read.
enum class lookup_plan : unsigned char {
  faults,     ///< the pages that look-ups need, many at a time
  sweep,      ///< all pages, from the front to the back
  automatic,  ///< the one that takes less time, by the pages to read and the rates that were measured
};

/// Choice of the automatic plan: the pages that each of the two plans would read, and how fast it was lately.
struct plan_choice {
  /// Pages that a plan would read, and its rate.
  struct cost {
    std::uint64_t pages = 0;      ///< number of pages to read
    double pages_per_second = 0;  ///< rate that was measured lately; 0: not measured
  };
  lookup_plan chosen = lookup_plan::faults;  ///< the plan that was chosen
  cost faults;                               ///< cost of the plan `faults`
  cost sweep;                                ///< cost of the plan `sweep`
};

/// Options of `batch_lookup`.
struct lookup_options {
  lookup_plan plan = lookup_plan::automatic;  ///< plan by which pages are read
  unsigned threads = 1;                       ///< number of threads
  /// Memory that pages are read into, for all threads together. A thread has at least a page of it and at
  /// most 1 MiB.
  std::size_t buffer_bytes = std::size_t{64} << 20;
  /// Function that gets the number of pages that were read. Several threads call it at a time. Its exceptions
  /// end the work.
  std::function<void(std::uint64_t pages)> on_pages = {};
  /// Function that gets the automatic plan's choice for each layer of a batch. The plan may choose again
  /// while the layer is read.
  std::function<void(const plan_choice&)> on_choice = {};
};

/// Runs of k-mers, and the places for the numbers of their taxa. There must be as many places as runs.
struct wanted_taxa {
  std::span<const minimizer_run> runs;  ///< runs to look up
  std::span<std::uint32_t> taxa;        ///< result for each run: a taxon's number in the index, or 0
};

/// Pages that one plan has read, and the time that this took.
struct plan_work {
  std::uint64_t pages = 0;  ///< number of pages
  double seconds = 0;       ///< time in seconds

  /// Adds the pages and the time of `other`.
  void add(const plan_work& other) noexcept {
    pages += other.pages;
    seconds += other.seconds;
  }
  /// Returns the rate, or 0 if no time was measured.
  double pages_per_second() const noexcept { return seconds > 0 ? static_cast<double>(pages) / seconds : 0; }
};

/// Finds taxa batch by batch. The index must outlive it.
///
/// Thread safety: one thread at a time.
class batch_lookup {
 public:
  /// Bytes of memory that each look-up takes, beside its run and its taxon.
  static constexpr std::size_t bytes_per_lookup = 16;

  /// Prepares look-ups in `index`. Throws `std::bad_alloc`.
  batch_lookup(const minimizer_index& index, lookup_options options);

  /// Finds the taxa of all runs. Runs without a minimizer have none. The automatic plan reads a small share
  /// of the first batch's pages by each of both plans, and of later ones by the plan that was not chosen
  /// last. Throws what reading the store throws, and `invalid_argument` for another number of places than of
  /// runs.
  void find(std::span<const wanted_taxa> wanted);

  /// Returns what was read by a plan, which is not `automatic`, so far.
  const plan_work& done_by(lookup_plan plan) const noexcept { return done_[number_of(plan)]; }

 private:
  struct lookup {
    std::uint64_t hash;
    std::uint32_t* taxon;
  };
  static_assert(sizeof(lookup) == bytes_per_lookup);
  struct layer_pieces;

  static std::size_t number_of(lookup_plan plan) noexcept { return plan == lookup_plan::sweep ? 1 : 0; }
  const plan_work& recently_by(lookup_plan plan) const noexcept { return recent_[number_of(plan)]; }
  void sort(std::span<const wanted_taxa> wanted);
  void find_in(std::size_t layer);
  void choose(plan_choice& choice) const noexcept;
  std::span<lookup> read(std::size_t layer, lookup_plan plan, std::span<lookup> lookups,
                         std::uint64_t least_pages);
  void read_piece(std::size_t layer, std::span<lookup> piece, bool has_gaps, std::vector<table_page>& pages);

  const minimizer_index& index_;
  lookup_options options_;
  std::size_t piece_pages_;
  std::vector<lookup> lookups_;                       // of a batch, by rising hash
  std::vector<std::vector<table_page>> buffers_;      // of each thread
  std::array<plan_work, 2> done_;                     // of faults, of sweep
  std::array<plan_work, 2> recent_;                   // of both, with old work counting less
  lookup_plan last_chosen_ = lookup_plan::automatic;  // none
};

}  // namespace perdure::kmer
