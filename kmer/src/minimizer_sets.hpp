// Minimizers of genomes and the common ancestors of their taxa, while an index is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

namespace perdure::kmer::detail {

/// A set of minimizers in parts by their hash, each with the lowest common ancestor of the nodes it was added
/// with.
///
/// Thread safety: `add` from any thread; the others while nobody adds.
class minimizer_sets {
 public:
  static constexpr unsigned part_bits = 9;
  static constexpr std::size_t parts = std::size_t{1} << part_bits;

  minimizer_sets(const taxonomy_view& taxonomy, const minimizer_scheme& scheme)
      : taxonomy_(taxonomy), hash_(scheme), parts_(parts) {}

  const minimizer_hash& hash() const noexcept { return hash_; }
  /// Adds minimizers of one sequence.
  void add(std::span<const minimizer_run> runs, taxon_node node);
  /// Adds minimizers by their hashes.
  void add(std::span<const minimizer_taxon> pairs);
  /// Merges what is there more than once, in parts that have grown to twice their size, or in all of them.
  void merge(unsigned threads, bool all);
  /// Returns a part, sorted by hash, once all are merged. Hashes of a part are smaller than those of the
  /// next.
  std::span<const minimizer_taxon> part(std::size_t number) const noexcept { return parts_[number].all; }
  /// Number of minimizers, once all are merged.
  std::uint64_t size() const noexcept;

 private:
  struct set_part {
    std::vector<minimizer_taxon> all;
    std::size_t merged = 0;  // number of the first that are sorted and there once
    std::mutex mutex;
  };

  void merge(set_part& part) const;

  taxonomy_view taxonomy_;
  minimizer_hash hash_;
  std::vector<set_part> parts_;
};

}  // namespace perdure::kmer::detail
