// How trusses.hpp takes edges away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <span>
#include <vector>

namespace perdure::graph::detail {

/// Edges are numbered row by row of `oriented`, which has each of them once. Their *support* is the number of
/// triangles that they are in with edges that are left, and at the end, what it was when they went.
class truss_peeling {
 public:
  /// Throws `unsupported`.
  truss_peeling(const neighbour_rows& oriented, unsigned threads);

  void run();

  std::size_t edges() const noexcept { return support_.size(); }
  std::size_t first_edge(vertex_handle v) const noexcept { return first_edge_[v]; }
  std::uint32_t support(std::size_t edge) const noexcept { return support_[edge]; }

 private:
  /// The other end of an edge.
  struct end {
    vertex_handle vertex;
    std::uint32_t edge;
  };
  struct ends {
    vertex_handle a;
    vertex_handle b;
  };
  enum class state : std::uint8_t { left, going, gone };

  void number_edges(const neighbour_rows& oriented);
  void count_triangles(const neighbour_rows& oriented);
  void find_next();
  void take_away(std::uint32_t edge, std::vector<std::uint32_t>& next);
  void lose_triangle(std::uint32_t edge, std::vector<std::uint32_t>& next);
  std::span<const end> ends_at(vertex_handle v) const noexcept {
    return {all_ends_.data() + offsets_[v], all_ends_.data() + offsets_[v + std::size_t{1}]};
  }

  const unsigned threads_;
  std::vector<std::uint64_t> first_edge_;  // by vertex, and behind them their number
  std::vector<ends> edge_ends_;
  std::vector<std::uint64_t> offsets_;  // of both rows of each edge
  std::vector<end> all_ends_;           // ordered by the vertex within a row
  std::vector<std::uint32_t> support_;
  std::vector<state> states_;
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> going_;
  std::uint32_t level_ = 0;
  bool has_begun_ = false;
};

}  // namespace perdure::graph::detail
