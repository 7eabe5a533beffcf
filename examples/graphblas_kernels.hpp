// Graph algorithms over the C API of GraphBLAS, for graphs that graphblas_matrix hands over.
#pragma once

#include <cstdint>
#include <perdure/graph/detail/graphblas_library.hpp>
#include <span>
#include <vector>

// All matrices are only read. What fails throws perdure::error.

/// By vertex the edges from `source`, -1 where there is no path. `arcs` is of any type.
std::vector<std::int32_t> levels_by_graphblas(GrB_Matrix arcs, GrB_Index source);

struct ranks_by_graphblas {
  std::vector<double> ranks;
  unsigned iterations = 0;
};
/// PageRank as perdure::graph::pagerank defines it, until all ranks together change by no more than
/// `tolerance`. `incoming` has an entry in row v for each arc to v, `degrees` the number of arcs of each
/// vertex.
ranks_by_graphblas pagerank_by_graphblas(GrB_Matrix incoming, std::span<const double> degrees,
                                         double tolerance, double damping = 0.85);

/// By vertex the distance from `source`, infinity where there is no path. The values of `arcs` are weights, 0
/// or more.
std::vector<double> distances_by_graphblas(GrB_Matrix arcs, GrB_Index source);

/// Of an undirected graph.
std::uint64_t triangles_by_graphblas(GrB_Matrix arcs);

/// The edges in the k-truss (k of 3 or more) of an undirected graph.
std::uint64_t truss_edges_by_graphblas(GrB_Matrix arcs, std::uint32_t k);
