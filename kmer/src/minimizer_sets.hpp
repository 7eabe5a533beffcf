// Minimizers of genomes and the common ancestors of their taxa, while an index is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

#include "hash_parts.hpp"
#include "minimizer_collector.hpp"
#include "packed_minimizer.hpp"

namespace perdure::kmer::detail {

/// Orders minimizers.
inline bool has_smaller_hash(const minimizer_taxon& a, const minimizer_taxon& b) noexcept {
  return a.hash < b.hash;
}

inline std::uint64_t hash_of(const minimizer_taxon& one) noexcept {
  return one.hash;
}

/// Merges minimizers that are there more than once, with the lowest common ancestor of their nodes. They are
/// sorted by hash. Returns how many are left, which are the first ones then.
template <class Minimizer>
std::size_t keep_each_once(std::span<Minimizer> sorted, const taxonomy_view& taxonomy) {
  std::size_t kept = 0;
  for (const Minimizer& one : sorted) {
    if (kept != 0 && hash_of(sorted[kept - 1]) == hash_of(one))
      sorted[kept - 1].node = taxonomy.common_ancestor(sorted[kept - 1].node, one.node);
    else
      sorted[kept++] = one;
  }
  return kept;
}

/// A set of minimizers in parts by their hash, each with the lowest common ancestor of the nodes it was added
/// with.
///
/// Thread safety: `add` from any thread; the others while nobody adds.
class minimizer_sets final : public minimizer_collector {
 public:
  static constexpr std::size_t parts = hash_parts<minimizer_taxon>::parts;

  minimizer_sets(const taxonomy_view& taxonomy, const minimizer_scheme& scheme, unsigned threads)
      : minimizer_collector(scheme), taxonomy_(taxonomy), hash_(scheme), threads_(threads) {}

  const minimizer_hash& hash() const noexcept { return hash_; }
  void add(std::span<const minimizer_run> runs, taxon_node node) override;
  /// Merges parts that have grown to twice their size.
  void end_batch(const scan_position& reached) override;
  /// Adds minimizers by their hashes.
  void add(std::span<const minimizer_taxon> pairs) { parts_.add(pairs); }
  /// Merges what is there more than once in all parts.
  void merge_all();
  /// Returns a part, sorted by hash, once all are merged. Hashes of a part are smaller than those of the
  /// next.
  std::span<const minimizer_taxon> part(std::size_t number) const noexcept { return parts_[number].all; }
  /// Number of minimizers, once all are merged.
  std::uint64_t size() const noexcept;

 private:
  void merge_if(bool all);

  taxonomy_view taxonomy_;
  minimizer_hash hash_;
  unsigned threads_;
  hash_parts<minimizer_taxon> parts_;
};

}  // namespace perdure::kmer::detail
