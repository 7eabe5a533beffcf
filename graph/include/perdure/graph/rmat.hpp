// Generator of R-MAT (Kronecker) graphs with the parameters of the Graph500 benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/detail/claimed_ranges.hpp>
#include <perdure/graph/detail/id_permutation.hpp>
#include <perdure/graph/edge_source.hpp>

namespace perdure::graph {

/// Parameters of an R-MAT graph (Chakrabarti, Zhan, Faloutsos: "R-MAT: A Recursive Model for Graph Mining",
/// SDM 2004). The defaults are Graph500's. The lower right quadrant has the remaining probability, 1 - a - b
/// - c.
struct rmat_parameters {
  unsigned scale = 16;             ///< 2^scale vertex ids, 1 to 48
  std::uint64_t edge_factor = 16;  ///< edges for each vertex id
  std::uint64_t seed = 1;          ///< seed of the random numbers
  double a = 0.57;                 ///< probability of the upper left quadrant
  double b = 0.19;                 ///< probability of the upper right quadrant
  double c = 0.19;                 ///< probability of the lower left quadrant
  bool scramble = true;            ///< permutes the ids, so that degree and id are unrelated
};

/// An R-MAT graph. Edge `i` is a pure function of the parameters and `i`. So any thread can generate any
/// range of edges, and the graph does not depend on how the work is divided.
///
/// Thread safety: const members from any thread.
class rmat_generator {
 public:
  /// Largest scale.
  static constexpr unsigned max_scale = 48;

  /// Prepares the graph. Throws `errc::invalid_argument` for parameters out of range. O(1).
  explicit rmat_generator(const rmat_parameters& parameters);

  /// Returns the number of vertex ids, 2^scale; not every id need have an edge.
  std::uint64_t vertex_ids() const noexcept { return std::uint64_t{1} << scale_; }
  /// Returns the number of edges, loops and parallel edges included.
  std::uint64_t edges() const noexcept { return edges_; }

  /// Returns the edge with this index, below `edges()`. O(scale).
  edge operator()(std::uint64_t index) const noexcept;
  /// Writes the edges `[first, last)` to `out`. O(scale) for each.
  void generate(std::uint64_t first, std::uint64_t last, edge* out) const noexcept;

 private:
  unsigned scale_;
  std::uint64_t edges_;
  std::uint64_t seed_;
  std::optional<detail::id_permutation> scramble_;
  // Bounds of the quadrants on a 32-bit scale.
  std::uint64_t bound_a_;
  std::uint64_t bound_ab_;
  std::uint64_t bound_abc_;
};

/// The edges of a generator, as a stream.
///
/// Thread safety: like every `edge_source`.
class rmat_source final : public edge_source {
 public:
  /// Makes the generator, and hands out `batch_size` edges at a time, of one share of the edges. Throws what
  /// `rmat_generator` throws.
  explicit rmat_source(const rmat_parameters& parameters, std::uint64_t batch_size = std::uint64_t{1} << 14,
                       const source_share& share = {})
      : generator_(parameters), edges_(generator_.edges(), share, batch_size) {}

  /// Replaces the content of `batch` by the next edges. Returns false at the end.
  bool next(edge_batch& batch) override;
  /// Returns the number of edges handed out.
  workload::progress progress() const noexcept override;

 private:
  rmat_generator generator_;
  detail::claimed_ranges edges_;
};

}  // namespace perdure::graph
