// Interface that takes the k-mers of genomes while they are read.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <perdure/kmer/minimizer_hash.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

#include "exact_layer.hpp"
#include "genome_collector.hpp"
#include "kmer_counts.hpp"

namespace perdure::kmer::detail {

class kmer_collector : public genome_collector {
 public:
  explicit kmer_collector(unsigned k) : k_(k), hash_({k, k, 0}) {}

  const minimizer_hash& hash() const noexcept { return hash_; }
  /// Sequences that were added since they were forgotten last, without those left out.
  const std::vector<named_sequence>& sequences() const noexcept { return sequences_; }
  void forget_sequences() noexcept { sequences_.clear(); }

  std::size_t add_sequence(const sequence& one, std::optional<taxon_node> node) override;
  void add_pieces(std::span<const sequence_piece> pieces) final;
  /// Takes k-mers, each of which counts once. Thread-safe.
  virtual void add(std::span<const kmer_count> some) = 0;

 private:
  unsigned k_;
  minimizer_hash hash_;
  std::mutex mutex_;
  std::vector<named_sequence> sequences_;
};

}  // namespace perdure::kmer::detail
