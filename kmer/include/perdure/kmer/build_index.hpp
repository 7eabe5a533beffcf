// Makes an index of genomes in a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <perdure/workload/progress.hpp>
#include <string>
#include <vector>

namespace perdure::kmer {

/// Treatment of a sequence that has no taxon.
enum class unmapped_sequences : std::uint8_t {
  error,  ///< the build fails and names it
  skip,   ///< it is left out and counted
};

/// Options of `build_index` and `add_genomes`.
struct build_options {
  std::string index = default_index_name;                   ///< name of the index
  minimizer_scheme scheme = {};                             ///< parameters of the minimizers
  unmapped_sequences unmapped = unmapped_sequences::error;  ///< treatment of sequences without a taxon
  unsigned threads = 1;                                     ///< number of threads
  /// `add_genomes` merges a layer behind the first that has fewer minimizers with the new one, however few
  /// that has.
  std::uint64_t merge_below = std::uint64_t{1} << 22;
  /// `build_index` only: bytes of memory for minimizers and pages of the store. 0: without a limit.
  std::uint64_t budget = 0;
  bool anew = false;  ///< `build_index` only: drops a build of this name that was interrupted
  /// Least time between two checkpoints of a build with a budget.
  std::chrono::milliseconds checkpoint_interval{10'000};
  /// Function that is called after each checkpoint of a build with a budget. Its exceptions end the build.
  std::function<void()> on_checkpoint = {};
  /// File descriptor that ends a pipe early, like that of `workload::open_byte_stream`.
  int end_descriptor = -1;
  /// Function that gets the bytes of files that were read so far, after each batch; then, with a budget, the
  /// "minimizers" that were merged, and the "cells" of the table that were filled. What an interrupted build
  /// had done does not count. Its exceptions end the build.
  std::function<void(const workload::progress&)> on_progress = {};
};

/// Result of `build_index`.
struct build_result {
  std::uint64_t sequences = 0;    ///< number of sequences that were indexed
  std::uint64_t bases = 0;        ///< number of their bases, ambiguous ones too
  std::uint64_t skipped = 0;      ///< number of sequences without a taxon
  std::uint64_t minimizers = 0;   ///< number of distinct minimizers
  std::uint64_t bytes = 0;        ///< size of the table
  bool resumed = false;           ///< an interrupted build was continued
  std::uint64_t checkpoints = 0;  ///< number of checkpoints that this call made
};

/// An index that is being built with a budget is an object with the index's name and this behind it.
inline constexpr const char* build_suffix = ".build";
/// The smallest budget.
inline constexpr std::uint64_t least_build_budget = std::uint64_t{1} << 20;

/// Share of a table's cells that are used.
inline constexpr double table_load = 0.75;

/// Makes an index of all sequences of FASTA or FASTQ files, with a copy of the whole taxonomy. The same
/// sequences make the same index, whatever their order, the files that they are in and the number of threads.
/// Takes about 50 bytes of memory for each minimizer. Nothing is durable before the store's next checkpoint,
/// and after an exception nothing of the index is in the store.
///
/// With a budget, minimizers are sorted in runs, which are in the store until they are merged. Names of
/// sequences, and the text of the longest one, are in memory beside. If all files are regular ones,
/// checkpoints are made on the way. After a crash, or an exception and `discard`, the same call goes on from
/// the last one, also with another budget or number of threads. The caller makes the last checkpoint.
///
/// Throws
/// - `already_exists` where the store has an index of this name;
/// - `invalid_argument` for a budget below `least_build_budget`, and where a build of this name was
/// interrupted
///   that had other genomes, taxa or options, unless `options.anew` is set; the message names what differs;
/// - `bad_input` with file and record for a sequence without a taxon, a taxon that is not in the taxonomy, a
///   sequence name that was there before, and a malformed record; and for genomes without any minimizer;
/// - `unsupported` for more than 2^24 - 1 taxa, ancestors included;
/// - what reading files and constructing objects throws.
build_result build_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                         const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options = {});

}  // namespace perdure::kmer
