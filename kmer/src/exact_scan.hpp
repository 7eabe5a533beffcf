// The sequences of genomes as counts of k-mers.
#pragma once

#include <filesystem>
#include <perdure/kmer/build_exact.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/read_source.hpp>
#include <string>
#include <vector>

#include "exact_layer.hpp"
#include "genome_names.hpp"
#include "kmer_counts.hpp"

namespace perdure::kmer::detail {

/// Reads files of genomes, and counts the k-mers of their sequences.
class exact_scan {
 public:
  /// Takes k-mers of `options.k` bases. `advice` is a sentence for a taxon that the taxonomy does not have.
  exact_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const exact_options& options,
             std::string advice);

  /// Reads all files. Throws what `build_exact_index` throws.
  void read(const std::vector<std::filesystem::path>& genomes);

  const minimizer_hash& hash() const noexcept { return hash_; }
  kmer_counts& counts() noexcept { return counts_; }
  /// Sequences that were read, but for skipped ones.
  const std::vector<named_sequence>& sequences() const noexcept { return sequences_; }
  /// Number of sequences, skipped ones, and bases.
  const build_result& totals() const noexcept { return names_.counts(); }

 private:
  void take(const std::filesystem::path& file, const sequence_batch& batch);

  const exact_options& options_;
  minimizer_hash hash_;
  kmer_counts counts_;
  genome_names names_;
  std::vector<named_sequence> sequences_;
};

}  // namespace perdure::kmer::detail
