// Other libraries' graph kernels, for bench_graph_kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/graph/csr_view.hpp>
#include <string>

namespace perdure::bench {

enum class kernel : std::uint8_t { bfs, pagerank, sssp, components, triangles };

/// One way to compute the kernels on one graph. Each gives a number by which answers are compared: vertices
/// reached, iterations (which are not compared), the sum of all distances, components, triangles.
class measured_kernels {
 public:
  virtual ~measured_kernels() = default;
  /// None: it has no such kernel.
  virtual std::optional<double> run(kernel which, graph::vertex_handle source) = 0;
};

struct kernel_settings {
  unsigned threads = 2;
  double tolerance = 1e-4;  // of PageRank
  std::int32_t delta = 2;   // of shortest paths
};

using wide_view = graph::basic_csr_view<double, std::uint64_t>;

/// By SuiteSparse:GraphBLAS on the arrays that it is given; null where it is not built in.
std::unique_ptr<measured_kernels> graphblas_kernels(const wide_view& view, const kernel_settings& settings);
/// By igraph on a graph of its own; null where it is not built in.
std::unique_ptr<measured_kernels> igraph_kernels(const graph::csr_view& view,
                                                 const kernel_settings& settings);

/// Reads an edge list, has GraphBLAS build the matrix of it, and searches from the smallest id. Vertices
/// reached.
std::uint64_t search_rebuilt_matrix(const std::string& edges, unsigned threads);
/// Has GraphBLAS search where the arrays are. Vertices reached.
std::uint64_t search_given_matrix(const wide_view& view, graph::vertex_handle source);

}  // namespace perdure::bench
