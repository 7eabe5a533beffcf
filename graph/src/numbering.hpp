// Dense numbers for the vertices of edges, in the order of their ids.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <perdure/graph/id_lookup.hpp>
#include <span>
#include <vector>

#include "drawn_edges.hpp"

namespace perdure::graph::detail {

/// The ranks of ids. Where they are dense enough, by a bit for each id and counts in between, which stays in
/// caches where arrays would not; else by sorting the ids and a hash table.
class id_ranks {
 public:
  /// Throws `errc::unsupported` for too many vertices.
  id_ranks(const drawn_edges& all, unsigned threads);

  std::size_t vertices() const noexcept { return vertices_; }
  /// Returns whether each id is its own rank.
  bool are_identical() const noexcept { return identical_; }
  vertex_handle rank(vertex_id id) const noexcept {
    if (identical_) return static_cast<vertex_handle>(id);
    if (lookup_) return lookup_->find(id);
    const block& in = blocks_[id / 64];
    const std::uint64_t below = in.present & ((std::uint64_t{1} << (id % 64)) - 1);
    return static_cast<vertex_handle>(in.before + static_cast<unsigned>(std::popcount(below)));
  }
  /// The ids by rank, into an array of `vertices()`.
  void write_ids(std::span<vertex_id> ids) const;

 private:
  struct block {
    std::uint64_t present = 0;  // 64 ids
    std::uint64_t before = 0;   // how many ids are below them
  };

  void mark_present(const drawn_edges& all, unsigned threads);
  void sort_ids(const drawn_edges& all, unsigned threads);

  std::size_t vertices_ = 0;
  bool identical_ = false;
  std::vector<block> blocks_;
  std::vector<vertex_id> sorted_;
  std::optional<id_lookup> lookup_;
};

}  // namespace perdure::graph::detail
