// The sequences of genomes, cut into pieces that threads scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/read_source.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "genome_collector.hpp"
#include "genome_names.hpp"

namespace perdure::kmer::detail {

/// How much of the sequences is in memory at a time.
struct scan_sizes {
  std::size_t batch_bytes = std::size_t{32} << 20;  ///< text, if no record is longer
  std::size_t piece_bases = std::size_t{1} << 18;   ///< number that one thread scans at a time
};

/// Options of a build that concern reading.
struct scan_options {
  /// `given` outlives them.
  template <class Options>
  scan_options(unsigned bases, const Options& given)
      : k(bases),
        unmapped(given.unmapped),
        threads(given.threads),
        end_descriptor(given.end_descriptor),
        on_progress(given.on_progress) {}

  unsigned k;  ///< bases of a k-mer, or of a window with one minimizer
  unmapped_sequences unmapped;
  unsigned threads;
  int end_descriptor;
  const std::function<void(const workload::progress&)>& on_progress;
};

/// Reads files of genomes, and hands out the pieces of their sequences.
class genome_scan {
 public:
  /// `advice` is a sentence for a taxon that the taxonomy does not have.
  genome_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const scan_options& options,
              std::string advice, const scan_sizes& sizes = {});

  /// Goes on where another scan of the same files ended: with its counts and the names of its sequences, a
  /// line each.
  void resume(const scan_position& reached, const build_result& counts, std::string_view names);
  /// Reads all files from there on. Throws what `build_index` throws.
  void read(const std::vector<std::filesystem::path>& genomes, genome_collector& into);

  /// Counts what was read: sequences, bases and skipped ones.
  const build_result& counts() const noexcept { return names_.counts(); }

 private:
  void take(const std::filesystem::path& file, const sequence_batch& batch, genome_collector& into);

  scan_options options_;
  scan_sizes sizes_;
  scan_position reached_;
  genome_names names_;
};

/// Throws `bad_input` for genomes without any minimizer.
void require_minimizers(std::uint64_t number, const minimizer_scheme& scheme);

}  // namespace perdure::kmer::detail
