// K-mers of genomes with the taxa that have them, while an exact index is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

#include "hash_parts.hpp"

namespace perdure::kmer::detail {

/// A k-mer of a taxon, by its hash, and how often it is there.
struct kmer_count {
  std::uint64_t hash = 0;
  /// Node of the taxonomy; or `pruned` and a depth from which on the k-mer's taxa are common ancestors.
  std::uint32_t node = 0;
  std::uint32_t count = 0;

  static constexpr std::uint32_t pruned = 0x80000000;
};

inline std::uint64_t hash_of(const kmer_count& one) noexcept {
  return one.hash;
}
inline bool comes_before(const kmer_count& a, const kmer_count& b) noexcept {
  return a.hash != b.hash ? a.hash < b.hash : a.node < b.node;
}

/// Adds up sorted counts of the same k-mer and node. Returns how many are left, which are the first ones
/// then. Throws `unsupported` where a count does not fit 32 bits.
std::size_t add_up_counts(std::span<kmer_count> sorted);

/// Returns the number of distinct k-mers that sorted counts have. O(counts).
std::uint64_t distinct_kmers(std::span<const kmer_count> sorted) noexcept;

/// Counts of k-mers in parts by their hash.
///
/// Thread safety: `add` from any thread; the others while nobody adds.
class kmer_counts {
 public:
  static constexpr std::size_t parts = hash_parts<kmer_count>::parts;

  void add(std::span<const kmer_count> some) { parts_.add(some); }
  /// Adds up what is there more than once, in parts that have grown to twice their size, or in all of them.
  /// Throws `unsupported` where a count does not fit 32 bits.
  void merge(unsigned threads, bool all);
  /// Takes counts away; both are merged, and so is what is left. Returns false, with counts that mean
  /// nothing, where something is not there as often.
  bool subtract(const kmer_counts& other, unsigned threads);
  /// Returns a part, sorted by hash and node, once all are merged. Hashes of a part are smaller than those of
  /// the next.
  std::span<const kmer_count> part(std::size_t number) const noexcept { return parts_[number].all; }
  /// Forgets a part, to free its memory.
  void forget(std::size_t number) noexcept { parts_[number].all = {}; }
  bool empty() const noexcept;
  /// Number of distinct k-mers, once all are merged.
  std::uint64_t kmers() const noexcept;

 private:
  hash_parts<kmer_count> parts_;
};

}  // namespace perdure::kmer::detail
