// Adds genomes to an index in a store, and merges the layers that this makes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/manager.hpp>
#include <perdure/workload/progress.hpp>
#include <string>
#include <vector>

namespace perdure::kmer {

/// A layer has at least this many times the minimizers of the next one.
inline constexpr std::uint64_t layer_ratio = 8;

/// Sizes of an index after it has changed.
struct growth_result {
  std::uint32_t layers = 0;      ///< number of layers that the index has now
  std::uint32_t merged = 0;      ///< number of earlier layers that the last one has the genomes of
  std::uint64_t minimizers = 0;  ///< number of distinct minimizers of the last layer
  std::uint64_t bytes = 0;       ///< size of all layers
};

/// Result of `add_genomes`.
struct added_genomes {
  build_result added;   ///< counts of the new genomes; its `bytes` are 0
  growth_result index;  ///< sizes of the index
};

/// Adds all sequences of FASTA or FASTQ files to the index that `options` name, with the index's scheme and
/// taxonomy. They become the last layer. Layers before it are merged with it as long as one has
/// - fewer than `layer_ratio` times the minimizers behind it,
/// - or fewer than `options.merge_below`, unless it is the first.
///
/// Takes time and memory in proportion to that layer. Nothing is durable before the store's next checkpoint.
/// After an exception the index is as it was.
///
/// A sequence that the index has already changes no answer.
///
/// Throws what `build_index` and `minimizer_index` throw, but `already_exists`.
added_genomes add_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                          const sequence_taxa& taxa, const build_options& options = {});

/// Merges all layers of an index. It is the same then, to the bit, as if one `build_index` had taken all
/// genomes. Takes about 32 bytes of memory for each minimizer. `on_progress` gets the minimizers that were
/// read from layers, or put into the new one, after each layer. Nothing is durable before the store's next
/// checkpoint. After an exception, also one of `on_progress`, the index is as it was. Throws what
/// `minimizer_index` throws.
growth_result compact_index(manager& store, const std::string& name = default_index_name,
                            unsigned threads = 1,
                            const std::function<void(const workload::progress&)>& on_progress = {});

}  // namespace perdure::kmer
