// The sequences of genomes as counts of k-mers in memory.
#pragma once

#include <filesystem>
#include <perdure/kmer/build_exact.hpp>
#include <span>
#include <string>
#include <vector>

#include "genome_scan.hpp"
#include "kmer_collector.hpp"
#include "kmer_counts.hpp"

namespace perdure::kmer::detail {

/// Reads files of genomes, and counts the k-mers of their sequences.
class exact_scan final : public kmer_collector {
 public:
  /// Takes k-mers of `options.k` bases. `advice` is a sentence for a taxon that the taxonomy does not have.
  exact_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const exact_options& options,
             std::string advice)
      : kmer_collector(options.k),
        threads_(options.threads),
        scan_(taxonomy, taxa, {options.k, options}, std::move(advice)) {}

  /// Reads all files. Throws what `build_exact_index` throws.
  void read(const std::vector<std::filesystem::path>& genomes) {
    scan_.read(genomes, *this);
    counts_.merge(threads_, true);
  }

  kmer_counts& counts() noexcept { return counts_; }
  /// Number of sequences, skipped ones, and bases.
  const build_result& totals() const noexcept { return scan_.counts(); }

  void add(std::span<const kmer_count> some) override { counts_.add(some); }
  void end_batch(const scan_position& /*reached*/) override { counts_.merge(threads_, false); }

 private:
  unsigned threads_;
  genome_scan scan_;
  kmer_counts counts_;
};

}  // namespace perdure::kmer::detail
