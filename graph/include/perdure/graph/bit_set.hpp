// Sets of vertices as bits, in memory that the caller has.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/vertex.hpp>
#include <span>

namespace perdure::graph {

/// A set of vertices, a bit each, 64 in a word. Copies stand for the same set.
///
/// Thread safety: `add_atomically` and `contains_atomically` from any thread; all else changes or reads
/// single words, of which each must be one thread's.
class bit_set {
 public:
  /// Words that a set of so many vertices takes.
  static constexpr std::size_t words_for(std::size_t vertices) noexcept { return (vertices + 63) / 64; }

  bit_set() = default;
  explicit bit_set(std::span<std::uint64_t> words) noexcept : words_(words.data()), size_(words.size()) {}

  std::size_t words() const noexcept { return size_; }
  std::uint64_t& word(std::size_t i) const noexcept { return words_[i]; }

  bool contains(vertex_handle v) const noexcept { return (words_[v / 64] >> (v % 64) & 1) != 0; }
  void add(vertex_handle v) const noexcept { words_[v / 64] |= bit(v); }

  bool contains_atomically(vertex_handle v) const noexcept {
    return (std::atomic_ref(words_[v / 64]).load(std::memory_order_relaxed) & bit(v)) != 0;
  }
  /// Whether it was not there.
  bool add_atomically(vertex_handle v) const noexcept {
    return (std::atomic_ref(words_[v / 64]).fetch_or(bit(v), std::memory_order_relaxed) & bit(v)) == 0;
  }

  /// Calls `visit(v)` for the vertices in one word, by number.
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
