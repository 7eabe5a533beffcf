// Classifies all reads of files on several threads, with answers in the order of the reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/read_classifier.hpp>
#include <perdure/kmer/read_source.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Options of `classify_files`.
struct classify_options {
  classify_rules rules = {};                       ///< rules by which a read gets its taxon
  unsigned threads = 1;                            ///< number of threads
  std::size_t batch_bytes = std::size_t{1} << 19;  ///< text of reads that a thread takes at a time
  /// Bytes of memory for reads, their look-ups and pages of the index. Answers are the same with any number.
  /// 0: look-ups are made one by one where the index lies, and a few reads of each thread are in memory; the
  /// pages for files of few reads are copied instead, 64 MiB at a time. With a budget, which is for an index
  /// larger than memory, the store should have the backing `paged`. A record that does not fit is taken all
  /// the same.
  std::size_t budget = 0;
  lookup_plan plan = lookup_plan::automatic;  ///< used with a budget
  /// Function that gets the lines of `append_kraken_line`, some at a time, in the order of the reads. One
  /// thread calls it at a time. Its exceptions end the work. Without it no lines are made.
  std::function<void(std::string_view)> on_lines = {};
  /// Functions that get the records of reads with a taxon and of reads without one, like `on_lines`. Of pairs
  /// they get the first reads and the second ones. A record has the format of its file, a sequence of FASTA
  /// on one line. Headers of reads with a taxon have " kraken:taxid|N" behind them.
  std::function<void(std::string_view reads, std::string_view mates)> on_classified = {};
  /// Like `on_classified`, for reads without a taxon.
  std::function<void(std::string_view reads, std::string_view mates)> on_unclassified = {};
  /// Function that gets the hit groups of a batch. Several threads call it at a time, for batches in any
  /// order. Its exceptions end the work.
  std::function<void(std::span<const hit_group>)> on_hit_groups = {};
  /// Function that gets the number of reads in a batch that was classified, and of their bases. Several
  /// threads call it at a time. Its exceptions end the work.
  std::function<void(std::uint64_t reads, std::uint64_t bases)> on_batch = {};
  /// Functions that are called with a budget, like those of `lookup_options`.
  std::function<void(std::uint64_t pages)> on_pages = {};
  /// Called with a budget, like `lookup_options::on_choice`.
  std::function<void(const plan_choice&)> on_choice = {};
};

/// Counts of classified reads.
struct classify_result {
  std::uint64_t reads = 0;       ///< number of reads; a pair counts once
  std::uint64_t bases = 0;       ///< number of their bases
  std::uint64_t classified = 0;  ///< number of reads that got a taxon
  /// Number of reads that got each node of the index's taxonomy.
  std::vector<std::uint64_t> reads_of_nodes;
  /// Pages that the plan `faults` has read; none without a budget.
  plan_work faults;
  /// Pages that the plan `sweep` has read; none without a budget.
  plan_work sweep;

  /// Returns the number of reads without a taxon.
  std::uint64_t unclassified() const noexcept { return reads - classified; }
  /// Adds the counts of other reads, which were classified with the same index.
  void add(const classify_result& other);
};

/// Classifies the reads of a source. Throws what the source throws. With several malformed
/// records, the error is that of the first one. `on_lines` may have got the lines of reads before it.
classify_result classify_files(const minimizer_index& index, read_source& source,
                               const classify_options& options);

}  // namespace perdure::kmer
