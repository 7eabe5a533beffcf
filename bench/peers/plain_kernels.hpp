// Graph kernels as in-memory benchmark suites write them: OpenMP, 32-bit numbers, no more than is needed.
// What perdure's kernels are timed beside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace perdure::bench {

/// An undirected graph without loops and repeated edges; rows are ordered.
struct plain_graph {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> targets;

  std::size_t size() const noexcept { return offsets.size() - 1; }
  std::span<const std::uint32_t> row(std::size_t v) const noexcept {
    return targets.subspan(offsets[v], offsets[v + 1] - offsets[v]);
  }
};

/// The other end of an edge beside its weight.
struct plain_end {
  std::uint32_t vertex;
  std::int32_t weight;
};

/// Direction-optimising search: a parent for each vertex that is reached (the source's is itself), -1 for
/// others. Their number.
std::uint64_t plain_bfs(const plain_graph& graph, std::uint32_t source, std::vector<std::int32_t>& parents);
/// Ranks in single precision and in place, until all of them together change by less than `tolerance`. The
/// number of iterations.
unsigned plain_pagerank(const plain_graph& graph, double tolerance, std::vector<float>& ranks);
/// Delta-stepping with a list of buckets for each thread.
std::vector<std::int32_t> plain_sssp(const plain_graph& graph, std::span<const plain_end> ends,
                                     std::uint32_t source, std::int32_t delta);
/// Vertices numbered by falling degree, then ordered rows merged.
std::uint64_t plain_triangles(const plain_graph& graph);
/// Link and compress, with two neighbours of each vertex first.
std::vector<std::uint32_t> plain_components(const plain_graph& graph);

}  // namespace perdure::bench
