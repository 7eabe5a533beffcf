// Generator of random geometric graphs: points in the unit square, with an edge between any two that are near
// each other.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/detail/claimed_ranges.hpp>
#include <perdure/graph/detail/id_permutation.hpp>
#include <perdure/graph/edge_source.hpp>
#include <vector>

namespace perdure::graph {

/// Parameters of `rgg_generator`.
struct rgg_parameters {
  std::uint64_t vertices = std::uint64_t{1} << 16;  ///< number of vertices, 1 to 2^40
  /// Mean number of neighbours of a point far from the border. 0 chooses the radius as the mean of two:
  /// sqrt(ln n / (pi n)), at which such graphs become connected, and sqrt(2.0736 / n), at which a giant
  /// component appears. miniVite's graphs have the same radius.
  double degree = 0;
  std::uint64_t seed = 1;  ///< seed of the random numbers
  bool scramble = false;   ///< numbers the vertices at random instead of by place
};

/// A random geometric graph. The square is divided into 4^k cells with sides of at least the radius, so that
/// the neighbours of a point lie in its cell or in the eight around it. The number of points in a cell, and
/// their places, are a pure function of the parameters: random bits divide the points of a square between its
/// halves, and so on down to the cells. Vertices are numbered by cell, in the Z-order of cells.
///
/// So any thread or rank can generate any range of cells without the others, and the graph does not depend on
/// how the work is divided (as in Funke, Lamm, Meyer, Penschuck, Sanders, Schulz, Strash, von Looz:
/// "Communication-free Massively Distributed Graph Generation", JPDC 2019).
///
/// Thread safety: const members from any thread.
class rgg_generator {
 public:
  /// Largest number of vertices.
  static constexpr std::uint64_t max_vertices = std::uint64_t{1} << 40;

  /// A point of the unit square.
  struct point {
    double x;  ///< from 0 to 1
    double y;  ///< from 0 to 1
  };
  /// A point and its vertex.
  struct numbered_point {
    vertex_id vertex;  ///< number of the vertex
    point place;       ///< its place
  };

  /// Prepares the graph. Throws `errc::invalid_argument` for parameters out of range. Draws O(n / 3) random
  /// bits; takes at most 8 MiB of memory.
  explicit rgg_generator(const rgg_parameters& parameters);

  /// Returns the number of vertices.
  std::uint64_t vertices() const noexcept { return vertices_; }
  /// Returns the distance up to which two points are neighbours.
  double radius() const noexcept { return radius_; }
  /// Returns the number of cells.
  std::uint64_t cells() const noexcept { return std::uint64_t{1} << (2 * depth_); }

  /// Appends the edges of the cells `[first, last)` to `out`, in the order of both ends' places. An edge
  /// belongs to the cell of its end with the smaller place (cell, then number in the cell). O(edges), and
  /// O(log n) for each cell.
  void generate(std::uint64_t first, std::uint64_t last, std::vector<edge>& out) const;

  /// Returns the place of each vertex, by its number. O(n); for drawing and for tests.
  std::vector<point> points() const;
  /// Appends the points in the cells `[first, last)` to `out`, in the order of their places (cell, then
  /// number in the cell). O(points), and O(log n) for each cell.
  void points(std::uint64_t first, std::uint64_t last, std::vector<numbered_point>& out) const;

 private:
  // Points of one cell: numbers from `first` on, before they are scrambled.
  struct cell {
    std::uint64_t index = 0;
    vertex_id first = 0;
    std::uint64_t count = 0;
  };
  struct placed {
    std::int64_t x;  // in units of a cell's side through 2^31, from the corner of the cell
    std::int64_t y;
  };

  cell cell_at(std::uint64_t index) const noexcept;
  std::uint64_t in_first_half(std::uint64_t count, unsigned level, std::uint64_t prefix) const noexcept;
  void place(const cell& of, std::vector<placed>& out) const;
  vertex_id number_of(vertex_id by_place) const noexcept;

  std::uint64_t vertices_;
  double radius_ = 0;
  unsigned depth_ = 0;      // 4^depth_ cells
  unsigned known_ = 0;      // levels of division whose counts are in `starts_`
  std::int64_t reach_ = 0;  // the radius in units of a cell's side through 2^31
  std::uint64_t counts_key_;
  std::uint64_t places_key_;
  std::vector<vertex_id> starts_;  // first point of each square of level `known_`, and `vertices_`
  std::optional<detail::id_permutation> scramble_;
};

/// The edges of a generator, as a stream.
///
/// Thread safety: like every `edge_source`.
class rgg_source final : public edge_source {
 public:
  /// Makes the generator, and hands out the edges of `cells_a_batch` cells at a time, of one share of the
  /// cells. Throws what `rgg_generator` throws.
  explicit rgg_source(const rgg_parameters& parameters, std::uint64_t cells_a_batch = std::uint64_t{1} << 10,
                      const source_share& share = {})
      : generator_(parameters), cells_(generator_.cells(), share, cells_a_batch) {}

  /// Replaces the content of `batch` by the edges of the next cells. Returns false at the end.
  bool next(edge_batch& batch) override;
  /// Returns the number of cells handed out.
  workload::progress progress() const noexcept override;
  id_range declared_vertices() const noexcept override { return {0, generator_.vertices()}; }

 private:
  rgg_generator generator_;
  detail::claimed_ranges cells_;
};

}  // namespace perdure::graph
