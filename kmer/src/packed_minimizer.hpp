// A minimizer and its node in few bytes, while an index is built.
#pragma once

#include <cstdint>
#include <perdure/kmer/taxonomy.hpp>
#include <span>

namespace perdure::kmer::detail {

/// A minimizer's hash, and a node of the taxonomy.
struct packed_minimizer {
  packed_minimizer() = default;
  packed_minimizer(std::uint64_t hash, taxon_node of) noexcept
      : high(static_cast<std::uint32_t>(hash >> 32)), low(static_cast<std::uint32_t>(hash)), node(of) {}

  std::uint64_t hash() const noexcept { return std::uint64_t{high} << 32 | low; }

  std::uint32_t high = 0;  ///< bits of the hash
  std::uint32_t low = 0;
  taxon_node node = 0;
};

/// Sorts minimizers by hash. All hashes are from `least` to `greatest`, and are spread evenly for the most
/// part. Takes no memory in proportion to them.
void sort_by_hash(std::span<packed_minimizer> all, std::uint64_t least, std::uint64_t greatest);

}  // namespace perdure::kmer::detail
