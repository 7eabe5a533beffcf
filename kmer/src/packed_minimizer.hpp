// A minimizer and its node in few bytes, while an index is built.
#pragma once

#include <cstdint>
#include <perdure/kmer/taxonomy.hpp>

#include "packed_hash.hpp"

namespace perdure::kmer::detail {

struct packed_minimizer {
  packed_minimizer() = default;
  packed_minimizer(std::uint64_t hash_of_it, taxon_node of) noexcept : packed(hash_of_it), node(of) {}

  std::uint64_t hash() const noexcept { return packed.value(); }

  packed_hash packed;
  taxon_node node = 0;
};

inline std::uint64_t hash_of(const packed_minimizer& one) noexcept {
  return one.hash();
}
inline bool comes_before(const packed_minimizer& a, const packed_minimizer& b) noexcept {
  return a.hash() < b.hash();
}

}  // namespace perdure::kmer::detail
