// Kernels of SuiteSparse:GraphBLAS, as the example has them.
#include <algorithm>
#include <cmath>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/graphblas.hpp>
#include <vector>

#include "../../examples/graphblas_kernels.hpp"
#include "graph_peers.hpp"

namespace perdure::bench {
namespace {

class graphblas final : public measured_kernels {
 public:
  graphblas(const wide_view& view, const kernel_settings& settings)
      : settings_(settings),
        arcs_(graph::graphblas_matrix::of_arcs(view, graph::graphblas_check::none)),
        weights_(graph::graphblas_matrix::of_weights(view, graph::graphblas_check::none)),
        degrees_(view.size()) {
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, static_cast<int>(settings.threads));
    for (std::size_t v = 0; v < degrees_.size(); ++v)
      degrees_[v] = static_cast<double>(view.degree(static_cast<graph::vertex_handle>(v)));
  }

  std::optional<double> run(kernel which, graph::vertex_handle source) override {
    switch (which) {
      case kernel::bfs: {
        const std::vector<std::int32_t> levels = levels_by_graphblas(arcs_.get(), source);
        return static_cast<double>(levels.size()) -
               static_cast<double>(std::count(levels.begin(), levels.end(), -1));
      }
      case kernel::pagerank:
        return pagerank_by_graphblas(arcs_.get(), degrees_, settings_.tolerance).iterations;
      case kernel::sssp: {
        double sum = 0;
        for (const double distance : distances_by_graphblas(weights_.get(), source))
          if (std::isfinite(distance)) sum += distance;
        return sum;
      }
      case kernel::components:
        return std::nullopt;
      case kernel::triangles:
        return static_cast<double>(triangles_by_graphblas(arcs_.get()));
    }
    return std::nullopt;
  }

 private:
  kernel_settings settings_;
  graph::graphblas_matrix arcs_;
  graph::graphblas_matrix weights_;
  std::vector<double> degrees_;
};

/// Until the process ends.
void start() {
  static const GrB_Info info = GrB_init(GrB_NONBLOCKING);
  graph::require_graphblas(info, "start");
}

std::uint64_t reached_of(const std::vector<std::int32_t>& levels) {
  return levels.size() - static_cast<std::uint64_t>(std::count(levels.begin(), levels.end(), -1));
}

}  // namespace

std::unique_ptr<measured_kernels> graphblas_kernels(const wide_view& view, const kernel_settings& settings) {
  start();
  return std::make_unique<graphblas>(view, settings);
}

std::uint64_t search_given_matrix(const wide_view& view, graph::vertex_handle source) {
  start();
  const auto arcs = graph::graphblas_matrix::of_arcs(view, graph::graphblas_check::none);
  return reached_of(levels_by_graphblas(arcs.get(), source));
}

std::uint64_t search_rebuilt_matrix(const std::string& edges, unsigned threads) {
  start();
  GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, static_cast<int>(threads));
  const auto source = graph::open_graph_file(edges);
  std::vector<GrB_Index> rows;
  std::vector<GrB_Index> columns;
  GrB_Index size = 0;
  for (graph::edge_batch batch; source->next(batch);)
    for (const graph::edge& e : batch.edges) {
      size = std::max({size, e.source + 1, e.target + 1});
      if (e.source == e.target) continue;
      rows.push_back(e.source);
      columns.push_back(e.target);
    }
  // Both directions, as undirected graphs have them.
  const std::size_t once = rows.size();
  rows.insert(rows.end(), columns.begin(), columns.end());
  columns.insert(columns.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(once));
  GrB_Matrix arcs = nullptr;
  graph::require_graphblas(GrB_Matrix_new(&arcs, GrB_BOOL, size, size), "make a matrix");
  GrB_Scalar one = nullptr;
  graph::require_graphblas(GrB_Scalar_new(&one, GrB_BOOL), "make a number");
  graph::require_graphblas(GrB_Scalar_setElement_BOOL(one, true), "set a number");
  graph::require_graphblas(GxB_Matrix_build_Scalar(arcs, rows.data(), columns.data(), one, rows.size()),
                           "build a matrix");
  const std::uint64_t reached = reached_of(levels_by_graphblas(arcs, rows.at(0)));
  GrB_Scalar_free(&one);
  GrB_Matrix_free(&arcs);
  return reached;
}

}  // namespace perdure::bench
