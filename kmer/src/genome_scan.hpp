// The sequences of genomes as sets of minimizers.
#pragma once

#include <filesystem>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/read_source.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "minimizer_sets.hpp"

namespace perdure::kmer::detail {

/// Reads files of genomes, and collects the minimizers of their sequences.
class genome_scan {
 public:
  /// Takes minimizers of the options' scheme. `advice` is a sentence for a taxon that the taxonomy does not
  /// have.
  genome_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const build_options& options,
              std::string advice);

  /// Reads all files. Throws what `build_index` throws.
  void read(const std::vector<std::filesystem::path>& genomes);

  minimizer_sets& sets() noexcept { return sets_; }
  /// Counts what was read: sequences, bases, skipped ones and minimizers.
  const build_result& counts() const noexcept { return counts_; }

 private:
  void take(const std::filesystem::path& file, const sequence_batch& batch);

  taxonomy_view taxonomy_;
  const sequence_taxa& taxa_;
  const build_options& options_;
  std::string advice_;
  minimizer_sets sets_;
  std::unordered_set<std::string> names_;
  build_result counts_;
};

}  // namespace perdure::kmer::detail
