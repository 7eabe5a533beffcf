// Hashes of vertex ids: one chooses the bank, an unrelated one the place in the bank's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/graph/edge.hpp>

namespace perdure::graph {

inline constexpr unsigned bank_bits = 10;                               ///< number of bits that choose a bank
inline constexpr std::size_t bank_count = std::size_t{1} << bank_bits;  ///< number of banks

/// Returns the bank of a vertex (Fibonacci hashing: the top bits of a product).
constexpr std::size_t bank_of(vertex_id v) noexcept {
  return static_cast<std::size_t>((v * 0x9E3779B97F4A7C15u) >> (64 - bank_bits));
}

/// Hash of a vertex within a bank's table: a folded 128-bit product. It must not be related to `bank_of`;
/// otherwise all vertices of a bank would crowd into the same part of its table.
struct vertex_hash {
  using is_avalanching = void;  ///< tables need not mix it again

  /// Returns the hash of a vertex.
  constexpr std::size_t operator()(vertex_id v) const noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(v ^ 0x2D358DCCAA6C78A5u) * 0x8BB84B93962EACC9u;
    return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
  }
};

}  // namespace perdure::graph
