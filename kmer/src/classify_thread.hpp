// Work of a thread on batches of reads, before and after the look-ups of their minimizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/read_classifier.hpp>
#include <perdure/kmer/read_source.hpp>
#include <vector>

#include "ordered_answers.hpp"

namespace perdure::kmer::detail {

/// Reads that were taken from a source, and their minimizers; or why they cannot be classified.
struct taken_reads {
  read_batch batch;
  scanned_reads scanned;
  std::exception_ptr failure;

  /// Returns the memory that this takes.
  std::size_t bytes() const noexcept;
};

/// Counts what it classifies. The index and the options must outlive it.
///
/// Thread safety: one thread at a time.
class classify_thread {
 public:
  classify_thread(const minimizer_index& index, const classify_options& options);

  /// Finds the reads of a batch and their minimizers. Keeps what is thrown in `taken`.
  void scan(const read_source& source, taken_reads& taken) noexcept;
  /// Looks for the taxa of the minimizers, one by one.
  void find_taxa(taken_reads& taken) { classifier_.find_taxa(taken.scanned); }
  /// Classifies reads whose minimizers have their taxa, and gives the answer away. Throws what
  /// `ordered_answers::add` throws.
  void answer_reads(taken_reads& taken, ordered_answers& answers);

  void add_to(classify_result& sum) const;

 private:
  answer answer_to(const taken_reads& taken);

  const minimizer_index& index_;
  const classify_options& options_;
  read_classifier classifier_;
  std::vector<std::uint64_t> taxa_;  // number of reads of each
  std::uint64_t reads_ = 0;
  std::uint64_t bases_ = 0;
};

}  // namespace perdure::kmer::detail
