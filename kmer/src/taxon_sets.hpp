// The sets of taxa that k-mers have, each once and by number, while an exact index is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kmer_counts.hpp"
#include "packed_hash.hpp"

namespace perdure::kmer::detail {

/// A set of taxa as bytes, with the depth from which on it was pruned, and the number of k-mers that have it.
struct taxon_set {
  std::string bytes;
  std::uint64_t kmers = 0;

  std::uint32_t pruned_from() const noexcept;
  std::vector<taxon_count> taxa() const;
};

/// Sets that were seen, numbered in their order.
class taxon_sets {
 public:
  std::uint32_t number_of(std::string_view bytes, std::uint64_t kmers);
  const std::vector<taxon_set>& all() const noexcept { return sets_; }

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, std::uint32_t, text_hash, std::equal_to<>> numbers_;
  std::vector<taxon_set> sets_;
};

/// A k-mer and the number of its set.
struct numbered_kmer {
  packed_hash packed;
  std::uint32_t set = 0;

  std::uint64_t hash() const noexcept { return packed.value(); }
};

/// K-mers, with sets that are numbered for themselves.
struct numbered_kmers {
  std::vector<numbered_kmer> kmers;
  taxon_sets sets;
  std::uint64_t occurrences = 0;
};

/// Finds the set of each k-mer. `counts` are sorted, and have all there are of a k-mer. `prune` is the most
/// taxa of a set, or 0.
numbered_kmers number_kmers(std::span<const kmer_count> counts, const taxonomy_view& taxonomy,
                            unsigned prune);

/// Gives sets numbers in the layer by falling frequency, and stores them. Returns the number of each. Throws
/// `unsupported` for too many.
std::vector<std::uint32_t> store_sets(stored_exact_layer& layer, const taxon_sets& sets);

}  // namespace perdure::kmer::detail
