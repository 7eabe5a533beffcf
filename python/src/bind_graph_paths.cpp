#include <nanobind/stl/string.h>

#include <perdure/graph/betweenness.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/neighbourhood.hpp>
#include <perdure/graph/shortest_path.hpp>
#include <perdure/graph/sssp.hpp>

#include "bind_graph_kernels.hpp"
#include "numpy_results.hpp"
#include "on_graph.hpp"

namespace nb = nanobind;

namespace perdure::python {

void bind_graph_paths(nb::class_<graph_handle>& graphs) {
  graphs
      .def(
          "bfs",
          [](const graph_handle& self, graph::vertex_handle source, unsigned threads) {
            graph::bfs_result found =
                on_graph(self, threads, [&](const auto& view) { return graph::bfs(view, source, threads); });
            return nb::make_tuple(to_numpy(std::move(found.levels)), to_numpy(std::move(found.parents)));
          },
          nb::arg("source"), nb::arg("threads"))
      .def(
          "sssp",
          [](const graph_handle& self, graph::vertex_handle source, double delta, unsigned threads) {
            graph::sssp_result found = on_graph(self, threads, [&](const auto& view) {
              return graph::sssp(view, source, {.delta = delta, .threads = threads});
            });
            return to_numpy(std::move(found.distances));
          },
          nb::arg("source"), nb::arg("delta"), nb::arg("threads"))
      .def(
          "shortest_path",
          [](const graph_handle& self, graph::vertex_handle from, graph::vertex_handle to, unsigned threads) {
            graph::path_result found = on_graph(self, threads, [&](const auto& view) {
              return graph::shortest_path(view, from, to, threads);
            });
            return nb::make_tuple(to_numpy(std::move(found.vertices)), found.distance);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("threads"))
      .def(
          "neighbourhood",
          [](const graph_handle& self, graph::vertex_handle vertex, std::uint64_t hops) {
            graph::neighbourhood_result found =
                on_graph(self, 1, [&](const auto& view) { return graph::neighbourhood(view, vertex, hops); });
            return nb::make_tuple(to_numpy(std::move(found.vertices)), to_numpy(std::move(found.histogram)));
          },
          nb::arg("vertex"), nb::arg("hops"))
      .def(
          "betweenness",
          [](const graph_handle& self, std::uint64_t samples, std::uint64_t seed, unsigned threads) {
            graph::betweenness_result found = on_graph(self, threads, [&](const auto& view) {
              return graph::betweenness(view, {.samples = samples, .seed = seed, .threads = threads});
            });
            return to_numpy(std::move(found.scores));
          },
          nb::arg("samples"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace perdure::python
