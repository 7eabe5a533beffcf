#include <nanobind/stl/optional.h>

#include <algorithm>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/core_numbers.hpp>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/strong_components.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/trusses.hpp>
#include <tuple>

#include "bind_graph_kernels.hpp"
#include "numpy_results.hpp"
#include "on_graph.hpp"

namespace nb = nanobind;

namespace perdure::python {
namespace {

nb::tuple tuple_of(graph::component_result&& found) {
  return nb::make_tuple(to_numpy(std::move(found.labels)), found.summary.components, found.summary.largest);
}

nb::tuple tuple_of(graph::community_result&& found) {
  return nb::make_tuple(to_numpy(std::move(found.labels)), found.summary.communities,
                        found.summary.modularity);
}

}  // namespace

void bind_graph_parts(nb::class_<graph_handle>& graphs) {
  using given_labels = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  graphs
      .def(
          "components",
          [](const graph_handle& self, unsigned threads) {
            return tuple_of(on_graph(
                self, threads, [&](const auto& view) { return graph::connected_components(view, threads); }));
          },
          nb::arg("threads"))
      .def(
          "strong_components",
          [](const graph_handle& self, unsigned threads) {
            return tuple_of(on_graph(
                self, threads, [&](const auto& view) { return graph::strong_components(view, threads); }));
          },
          nb::arg("threads"))
      .def(
          "louvain",
          [](const graph_handle& self, double resolution, double tolerance, unsigned starts,
             const std::optional<given_labels>& from, unsigned threads) {
            const graph::louvain_options how{
                .resolution = resolution, .tolerance = tolerance, .starts = starts, .threads = threads};
            std::vector<graph::vertex_id> labels;
            if (from) labels.assign(from->data(), from->data() + from->size());
            return tuple_of(on_graph(self, threads, [&](const auto& view) {
              if (!from) return graph::louvain(view, how);
              if (labels.size() != view.size())
                throw error(errc::invalid_argument,
                            "the graph \"" + self.name() + "\" has " + std::to_string(view.size()) +
                                " vertices, and start has " + std::to_string(labels.size()) +
                                " labels: give one for each vertex");
              return graph::louvain_from(view, labels, how);
            }));
          },
          nb::arg("resolution"), nb::arg("tolerance"), nb::arg("starts"), nb::arg("start").none(),
          nb::arg("threads"))
      .def(
          "label_propagation",
          [](const graph_handle& self, unsigned iterations, unsigned threads) {
            return tuple_of(on_graph(self, threads, [&](const auto& view) {
              return graph::label_propagation(view, {.iterations = iterations, .threads = threads});
            }));
          },
          nb::arg("iterations"), nb::arg("threads"))
      .def(
          "core_numbers",
          [](const graph_handle& self, unsigned threads) {
            return to_numpy(std::move(on_graph(self, threads, [&](const auto& view) {
                                        return graph::core_numbers(view, threads);
                                      }).cores));
          },
          nb::arg("threads"))
      .def(
          "trusses",
          [](const graph_handle& self, unsigned threads) {
            auto [a, b, truss] = on_graph(self, threads, [&](const auto& view) {
              const graph::truss_result found = graph::trusses(view, threads);
              std::tuple<std::vector<graph::vertex_handle>, std::vector<graph::vertex_handle>,
                         std::vector<std::uint32_t>>
                  columns;
              for (const graph::truss_edge& one : found.edges) {
                std::get<0>(columns).push_back(one.a);
                std::get<1>(columns).push_back(one.b);
                std::get<2>(columns).push_back(one.truss);
              }
              return columns;
            });
            return nb::make_tuple(to_numpy(std::move(a)), to_numpy(std::move(b)), to_numpy(std::move(truss)));
          },
          nb::arg("threads"))
      .def(
          "triangle_count",
          [](const graph_handle& self, unsigned threads) {
            return on_graph(self, threads,
                            [&](const auto& view) { return graph::count_triangles(view, threads); });
          },
          nb::arg("threads"))
      .def(
          "clustering",
          [](const graph_handle& self, unsigned threads) {
            graph::clustering_result found =
                on_graph(self, threads, [&](const auto& view) { return graph::clustering(view, threads); });
            return nb::make_tuple(to_numpy(std::move(found.triangles)),
                                  to_numpy(std::move(found.coefficients)), found.summary.triangles,
                                  found.summary.average_clustering, found.summary.transitivity);
          },
          nb::arg("threads"))
      .def(
          "pagerank",
          [](const graph_handle& self, double damping, double tolerance, unsigned iterations,
             unsigned threads) {
            graph::pagerank_result found = on_graph(self, threads, [&](const auto& view) {
              return graph::pagerank(
                  view,
                  {.damping = damping, .tolerance = tolerance, .iterations = iterations, .threads = threads});
            });
            return to_numpy(std::move(found.ranks));
          },
          nb::arg("damping"), nb::arg("tolerance"), nb::arg("iterations"), nb::arg("threads"))
      .def("degrees", [](const graph_handle& self) {
        graph::degree_result found = on_graph(self, 1, [](const auto& view) { return graph::degrees(view); });
        return nb::make_tuple(to_numpy(std::move(found.out)), to_numpy(std::move(found.in)));
      });
}

}  // namespace perdure::python
