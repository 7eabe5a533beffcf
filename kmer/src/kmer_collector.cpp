#include "kmer_collector.hpp"

#include <cstdint>
#include <perdure/kmer/canonical_kmers.hpp>
#include <string>

namespace perdure::kmer::detail {

std::size_t kmer_collector::add_sequence(const sequence& one, std::optional<taxon_node> node) {
  if (!node) return sequences_.size();
  sequences_.push_back({std::string(one.name), {0, one.bases.size(), 0, *node}});
  return sequences_.size() - 1;
}

void kmer_collector::add_pieces(std::span<const sequence_piece> pieces) {
  std::vector<kmer_count> some;
  for (const sequence_piece& one : pieces) {
    some.clear();
    std::uint64_t sum = 0;
    for_each_canonical_kmer(one.bases, k_, [&](std::size_t, std::uint64_t kmer) {
      some.push_back({hash_(kmer), one.node, 1});
      sum += some.back().hash;
    });
    add(some);
    const std::lock_guard lock(mutex_);
    sequences_[one.sequence].counts.kmer_sum += sum;
  }
}

}  // namespace perdure::kmer::detail
