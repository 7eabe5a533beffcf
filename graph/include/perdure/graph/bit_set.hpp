// Sets of vertices as bits, in memory of the caller.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <span>

namespace perdure::graph {

/// A set of vertices with one bit for each, 64 in a word, in memory of the caller. Copies refer to the same
/// words. Vertices must be below 64 × `words()`.
///
/// Thread safety: any thread may call `add_atomically` and `contains_atomically`. Other members read or
/// change single words; only one thread may use a word at a time.
class bit_set {
 public:
  /// Returns the number of words that a set of vertices below `vertices` takes.
  static constexpr std::size_t words_for(std::size_t vertices) noexcept { return (vertices + 63) / 64; }

  /// Makes a set without words.
  bit_set() = default;
  /// Uses `words`, which must outlive the set. Their bits are the set's content.
  explicit bit_set(std::span<std::uint64_t> words) noexcept : words_(words.data()), size_(words.size()) {}

  /// Returns the number of words.
  std::size_t words() const noexcept { return size_; }
  /// Returns word `i`, which has the vertices from 64 × `i` on.
  std::uint64_t& word(std::size_t i) const noexcept { return words_[i]; }

  /// Returns whether the vertex is in the set.
  bool contains(vertex_handle v) const noexcept { return (words_[v / 64] >> (v % 64) & 1) != 0; }
  /// Adds the vertex.
  void add(vertex_handle v) const noexcept { words_[v / 64] |= bit(v); }

  /// Returns whether the vertex is in the set, beside threads that add others. The order of memory accesses
  /// is relaxed.
  bool contains_atomically(vertex_handle v) const noexcept {
    return (std::atomic_ref(words_[v / 64]).load(std::memory_order_relaxed) & bit(v)) != 0;
  }
  /// Adds the vertex, beside other threads. Returns true if the vertex was not in the set. The order of
  /// memory accesses is relaxed.
  bool add_atomically(vertex_handle v) const noexcept {
    return (std::atomic_ref(words_[v / 64]).fetch_or(bit(v), std::memory_order_relaxed) & bit(v)) == 0;
  }

  /// Calls `visit(v)` for each vertex in `word`, the word number `index` of a set, in ascending order.
  template <class Visit>
  static void each(std::size_t index, std::uint64_t word, Visit&& visit) {
    for (; word != 0; word &= word - 1)
      visit(static_cast<vertex_handle>(index * 64 + static_cast<unsigned>(std::countr_zero(word))));
  }

 private:
  static constexpr std::uint64_t bit(vertex_handle v) noexcept { return std::uint64_t{1} << (v % 64); }

  std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace perdure::graph
