// Interface that takes the sequences of genomes while they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/kmer/sequence_reader.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <string_view>

namespace perdure::kmer::detail {

/// A place between two records of files that are read one after the other.
struct scan_position {
  std::uint64_t file = 0;     ///< number of files before this one
  std::uint64_t records = 0;  ///< number of its records before the place
};

/// Part of a sequence.
struct sequence_piece {
  std::string_view bases;
  std::size_t sequence = 0;  ///< number that `add_sequence` returned
  taxon_node node = 0;
};

class genome_collector {
 public:
  genome_collector() = default;
  genome_collector(const genome_collector&) = delete;
  genome_collector& operator=(const genome_collector&) = delete;
  virtual ~genome_collector() = default;

  /// Takes a sequence whose pieces follow; or one that is left out, which has no node. Returns a number for
  /// its pieces.
  virtual std::size_t add_sequence(const sequence& /*one*/, std::optional<taxon_node> /*node*/) { return 0; }
  /// Takes pieces of sequences. Thread-safe.
  virtual void add_pieces(std::span<const sequence_piece> pieces) = 0;
  /// Called where all sequences before a place were added, and nothing else was.
  virtual void end_batch(const scan_position& reached) = 0;
};

}  // namespace perdure::kmer::detail
