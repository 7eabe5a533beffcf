// Hashes of vertex ids: one picks the bank, an unrelated one the place in the bank's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/graph/edge.hpp>

namespace perdure::graph {

inline constexpr unsigned bank_bits = 10;
inline constexpr std::size_t bank_count = std::size_t{1} << bank_bits;

/// The bank a vertex lives in (Fibonacci hashing: the top bits of a product).
constexpr std::size_t bank_of(vertex_id v) noexcept {
  return static_cast<std::size_t>((v * 0x9E3779B97F4A7C15u) >> (64 - bank_bits));
}

/// The hash inside a bank's table: a folded 128-bit product. It must not share structure with `bank_of`,
/// or all vertices of a bank would crowd into the same part of its table.
struct vertex_hash {
  using is_avalanching = void;  ///< tables need not mix it again

  constexpr std::size_t operator()(vertex_id v) const noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(v ^ 0x2D358DCCAA6C78A5u) * 0x8BB84B93962EACC9u;
    return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
  }
};

}  // namespace perdure::graph
