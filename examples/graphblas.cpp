// A graph that is kept in a store, analysed by SuiteSparse:GraphBLAS where it lies: the first run builds it,
// later ones find it.
#include <algorithm>
#include <array>
#include <iostream>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graphblas.hpp>
#include <perdure/graph/wide_csr.hpp>
#include <perdure/perdure.hpp>
#include <vector>

#include "graphblas_kernels.hpp"

namespace graph = perdure::graph;

namespace {

/// Two triangles that share an edge, and a path that leads away from them.
void build(const char* path) {
  perdure::manager store(perdure::create_only, path);
  graph::memory_csr narrow;
  const std::array<graph::edge, 7> edges{{{0, 1}, {1, 2}, {2, 0}, {1, 3}, {2, 3}, {3, 4}, {4, 5}}};
  graph::span_source source(edges);
  graph::build_csr(narrow, source, {.kind = graph::direction::undirected, .drop_duplicates = true});
  graph::widen_csr(*store.construct<graph::stored_wide_csr>("web")(), narrow);
  store.close();
}

}  // namespace

int main() {
  const char* const path = "graphblas.store";
  if (!perdure::manager::exists(path)) build(path);
  const perdure::manager store(perdure::open_read_only, path);
  const auto web = store.find<graph::stored_wide_csr>("web").first->view();

  GrB_init(GrB_NONBLOCKING);
  {
    const graph::graphblas_matrix arcs = graph::graphblas_matrix::of_arcs(web);
    std::cout << "levels from 0:";
    for (const std::int32_t level : levels_by_graphblas(arcs.get(), 0)) std::cout << ' ' << level;
    std::vector<double> degrees(web.size());
    for (std::size_t v = 0; v < degrees.size(); ++v)
      degrees[v] = static_cast<double>(web.degree(static_cast<graph::vertex_handle>(v)));
    const std::vector<double> ranks = pagerank_by_graphblas(arcs.get(), degrees, 1e-10).ranks;
    std::cout << "\nthe highest rank has vertex "
              << std::max_element(ranks.begin(), ranks.end()) - ranks.begin()
              << "\ntriangles: " << triangles_by_graphblas(arcs.get())
              << "\nedges in the 3-truss: " << truss_edges_by_graphblas(arcs.get(), 3) << '\n';
  }
  GrB_finalize();
}
