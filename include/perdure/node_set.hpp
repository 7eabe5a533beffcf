// A set of NUMA nodes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <perdure/cxx20.hpp>

namespace perdure {

/// A set of nodes, 0 to 1023, as the kernel numbers them.
class node_set {
 public:
  /// The number of nodes that a set can have.
  static constexpr unsigned most_nodes = 1024;

  /// Makes an empty set, or that of one node.
  ///@{
  constexpr node_set() = default;
  static constexpr node_set of(unsigned node) noexcept {
    node_set set;
    set.add(node);
    return set;
  }
  ///@}

  /// Adds a node; numbers beyond 1023 are ignored.
  constexpr void add(unsigned node) noexcept {
    if (node < most_nodes) words_[node / 64] |= std::uint64_t{1} << (node % 64);
  }
  /// Returns whether the node is in the set.
  constexpr bool contains(unsigned node) const noexcept {
    return node < most_nodes && (words_[node / 64] >> (node % 64) & 1) != 0;
  }
  /// Returns the number of nodes in the set.
  constexpr std::size_t count() const noexcept {
    std::size_t n = 0;
    for (const std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  /// Returns whether there is no node in the set.
  constexpr bool empty() const noexcept { return count() == 0; }
  /// Calls `visit(node)` in rising order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (unsigned w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
  }

  /// Returns the set as words of 64 nodes, the lowest bit first.
  ///@{
  constexpr const std::array<std::uint64_t, most_nodes / 64>& words() const noexcept { return words_; }
  constexpr std::array<std::uint64_t, most_nodes / 64>& words() noexcept { return words_; }
  ///@}

  /// Compares the nodes.
  constexpr bool operator==(const node_set&) const = default;

 private:
  std::array<std::uint64_t, most_nodes / 64> words_{};
};

}  // namespace perdure
