// igraph's kernels.
#include <igraph.h>

#include <cmath>
#include <stdexcept>

#include "graph_peers.hpp"

namespace perdure::bench {
namespace {

void require(igraph_error_t code) {
  if (code != IGRAPH_SUCCESS) throw std::runtime_error(std::string("igraph: ") + igraph_strerror(code));
}

class igraph final : public measured_kernels {
 public:
  explicit igraph(const graph::csr_view& view) {
    igraph_vector_int_t edges;
    require(igraph_vector_int_init(&edges, 0));
    require(igraph_vector_int_reserve(&edges, static_cast<igraph_integer_t>(view.arcs())));
    require(igraph_vector_init(&weights_, 0));
    require(igraph_vector_reserve(&weights_, static_cast<igraph_integer_t>(view.arcs() / 2)));
    for (std::size_t i = 0; i < view.size(); ++i) {
      const auto v = static_cast<graph::vertex_handle>(i);
      for (std::uint64_t at = view.offsets[v]; at < view.offsets[i + 1]; ++at) {
        if (view.targets[at] < v) continue;
        require(igraph_vector_int_push_back(&edges, v));
        require(igraph_vector_int_push_back(&edges, view.targets[at]));
        require(igraph_vector_push_back(&weights_, view.arc_weights[at]));
      }
    }
    require(igraph_create(&graph_, &edges, static_cast<igraph_integer_t>(view.size()), false));
    igraph_vector_int_destroy(&edges);
  }
  igraph(const igraph&) = delete;
  igraph& operator=(const igraph&) = delete;
  ~igraph() override {
    igraph_destroy(&graph_);
    igraph_vector_destroy(&weights_);
  }

  std::optional<double> run(kernel which, graph::vertex_handle source) override {
    switch (which) {
      case kernel::bfs: {
        igraph_vector_int_t order;
        require(igraph_vector_int_init(&order, 0));
        require(igraph_bfs_simple(&graph_, source, IGRAPH_ALL, &order, nullptr, nullptr));
        const auto reached = static_cast<double>(igraph_vector_int_size(&order));
        igraph_vector_int_destroy(&order);
        return reached;
      }
      case kernel::pagerank: {
        igraph_vector_t ranks;
        require(igraph_vector_init(&ranks, 0));
        require(igraph_pagerank(&graph_, IGRAPH_PAGERANK_ALGO_PRPACK, &ranks, nullptr, igraph_vss_all(),
                                false, 0.85, nullptr, nullptr));
        igraph_vector_destroy(&ranks);
        return 0;
      }
      case kernel::sssp: {
        igraph_matrix_t distances;
        require(igraph_matrix_init(&distances, 0, 0));
        require(igraph_distances_dijkstra(&graph_, &distances, igraph_vss_1(source), igraph_vss_all(),
                                          &weights_, IGRAPH_ALL));
        double sum = 0;
        for (igraph_integer_t i = 0; i < igraph_matrix_ncol(&distances); ++i)
          if (std::isfinite(MATRIX(distances, 0, i))) sum += MATRIX(distances, 0, i);
        igraph_matrix_destroy(&distances);
        return sum;
      }
      case kernel::components: {
        igraph_integer_t count = 0;
        require(igraph_connected_components(&graph_, nullptr, nullptr, &count, IGRAPH_WEAK));
        return static_cast<double>(count);
      }
      case kernel::triangles: {
        igraph_vector_t at;
        require(igraph_vector_init(&at, 0));
        require(igraph_adjacent_triangles(&graph_, &at, igraph_vss_all()));
        const double all = igraph_vector_sum(&at) / 3;
        igraph_vector_destroy(&at);
        return all;
      }
    }
    return std::nullopt;
  }

 private:
  igraph_t graph_;
  igraph_vector_t weights_;
};

}  // namespace

std::unique_ptr<measured_kernels> igraph_kernels(const graph::csr_view& view, const kernel_settings&) {
  return std::make_unique<igraph>(view);
}

}  // namespace perdure::bench
