// Makes an exact index of genomes in a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <vector>

namespace perdure::kmer {

/// Smallest k of an exact index.
inline constexpr unsigned least_exact_k = 18;

/// Options of `build_exact_index` and of the functions of `grow_exact.hpp`.
struct exact_options {
  std::string index = default_index_name;  ///< name of the index
  unsigned k = most_kmer_bases;            ///< bases of a k-mer, from `least_exact_k` to `most_kmer_bases`
  unsigned prune = 0;                      ///< most taxa of a k-mer; 0: any number
  unmapped_sequences unmapped = unmapped_sequences::error;  ///< treatment of sequences without a taxon
  unsigned threads = 1;                                     ///< number of threads
  /// `add_exact_genomes` merges a layer behind the first that has fewer k-mers with the new one.
  std::uint64_t merge_below = std::uint64_t{1} << 22;
  /// `build_exact_index` only: bytes of memory for k-mers and pages of the store. 0: without a limit.
  std::uint64_t budget = 0;
  bool anew = false;  ///< `build_exact_index` only: drops a build of this name that was interrupted
  /// Least time between two checkpoints of a build with a budget.
  std::chrono::milliseconds checkpoint_interval{10'000};
  /// Function that is called after each checkpoint of a build with a budget. Its exceptions end the build.
  std::function<void()> on_checkpoint = {};
  /// File descriptor that ends a pipe early, like that of `workload::open_byte_stream`.
  int end_descriptor = -1;
  /// Function that gets the bytes of files that were read so far, after each batch; then, with a budget, the
  /// "k-mers" that were merged, and those that were put into pages. Its exceptions end the work.
  std::function<void(const workload::progress&)> on_progress = {};
};

/// Result of `build_exact_index` and of the functions of `grow_exact.hpp`.
struct exact_result {
  std::uint64_t sequences = 0;    ///< number of sequences that were added or removed
  std::uint64_t bases = 0;        ///< number of their bases, ambiguous ones too
  std::uint64_t skipped = 0;      ///< number of sequences without a taxon
  std::uint64_t kmers = 0;        ///< number of distinct canonical k-mers of the last layer
  std::uint64_t occurrences = 0;  ///< number of all its k-mers
  std::uint64_t bytes = 0;        ///< size of all layers
  std::uint32_t layers = 0;       ///< number of layers that the index has now
  std::uint32_t merged = 0;       ///< number of earlier layers that the last one has the genomes of
  bool resumed = false;           ///< went on with a build that was interrupted
  std::uint64_t checkpoints = 0;  ///< number of checkpoints that this call made
};

/// Makes an exact index of all sequences of FASTA or FASTQ files, with a copy of the whole taxonomy. A k-mer
/// with an ambiguous base is left out. The same sequences make the same index, whatever their order, the
/// files that they are in and the number of threads. Takes 16 to 32 bytes of memory for each k-mer of each
/// taxon. Nothing is durable before the store's next checkpoint, and after an exception nothing of the index
/// is in the store.
///
/// With a budget, k-mers are sorted in runs in the store, and a later call goes on after a crash, as
/// `build_index` does. Names of sequences, and the distinct sets of taxa, are in memory beside. Pages are
/// filled without checkpoints: a build that is killed meanwhile fills them anew.
///
/// With `prune`, k-mers of more taxa have common ancestors instead: the deepest common ancestors replace
/// their taxa first, those of one depth together, until no more than `prune` are left.
///
/// Throws what `build_index` throws; `invalid_argument` for another k; `unsupported` for a k-mer that a taxon
/// has more than 2^32 - 1 times.
exact_result build_exact_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                               const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                               const exact_options& options = {});

}  // namespace perdure::kmer
