// Counts the minimizers that reads have of each taxon, and the distinct ones among them, exactly.
//
//     kmer::found_minimizers found(index);
//     kmer::classify_files(index, source, {.on_hit_groups = [&](auto groups) { found.add(groups); }});
//     kmer::kraken_report(index.taxonomy(), …, found.of_nodes());
#pragma once

#include <cstdint>
#include <mutex>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/read_classifier.hpp>
#include <span>
#include <vector>

namespace perdure::kmer {

/// Minimizers of a taxon that were found in reads.
struct minimizer_count {
  std::uint64_t all = 0;       ///< hit groups
  std::uint64_t distinct = 0;  ///< different minimizers among them

  /// Compares both numbers.
  friend bool operator==(const minimizer_count&, const minimizer_count&) = default;
};

/// The set of the minimizers that were found, and the counts of each taxon. Counts do not depend on the order
/// in which hit groups are added. Takes 11 to 22 bytes of memory for each distinct minimizer. The index must
/// outlive it.
///
/// Thread safety: any member from any thread.
class found_minimizers {
 public:
  /// Makes an empty set for the minimizers of `index`.
  explicit found_minimizers(const minimizer_index& index);

  /// Adds hit groups. O(n log n) for n of them, on average. Throws `std::bad_alloc`.
  void add(std::span<const hit_group> groups);
  /// Returns the counts of each node of the index's taxonomy, of the node itself.
  std::vector<minimizer_count> of_nodes() const;

 private:
  /// A part of the set: a hash table with open addressing, of the hashes that begin with the same bits.
  struct set_part {
    std::mutex mutex;
    std::vector<std::uint64_t> hashes;  // none or a power of two; at most three quarters are used
    std::size_t used = 0;

    /// Returns whether the hash was not there.
    bool insert(std::uint64_t hash);
    void grow();
  };

  const minimizer_index& index_;
  std::vector<set_part> parts_;
  mutable std::mutex mutex_;
  std::vector<minimizer_count> counts_;  // by number of the taxon
};

}  // namespace perdure::kmer
