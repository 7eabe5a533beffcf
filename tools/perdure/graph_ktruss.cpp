// perdure graph ktruss: in how dense a part of the graph each edge is.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/trusses.hpp>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_trusses : analysis_options {
  std::optional<std::uint64_t> k;
};

void find_trusses(const wanted_trusses& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::truss_result found = run.timed([&] { return graph::trusses(graph, given.threads); });
    run.check([&] { return graph::verify_trusses(graph, found.edges); });
    const auto k = static_cast<std::uint32_t>(given.k.value_or(found.largest()));
    run.write_lines({{.name = "source", .is_vertex = true}, {.name = "target", .is_vertex = true}, {"truss"}},
                    [&](graph::result_table& file) {
                      for (const graph::truss_edge& one : found.edges) {
                        if (given.k && one.truss < k) continue;
                        const graph::vertex_id a = graph.id(one.a);
                        const graph::vertex_id b = graph.id(one.b);
                        file.line(graph::vertex_value{std::min(a, b)}, graph::vertex_value{std::max(a, b)},
                                  one.truss);
                      }
                    });
    json sizes = json::array();
    for (std::uint32_t i = 2; i <= found.largest(); ++i)
      sizes.push_back({{"k", i}, {"edges", found.edges_of(i)}});
    run.report({{"max_truss", found.largest()}, {"k", k}, {"edges", found.edges_of(k)}, {"trusses", sizes}},
               [&](output& out) {
                 out.write("largest truss  " + grouped(found.largest()) + " " + run.times("trusses") + "\n");
                 out.write("in the " + grouped(k) + "-truss  " + grouped(found.edges_of(k)) + " of " +
                           counted(found.edges.size(), "edge", "edges") + "\n");
               });
  });
}

}  // namespace

void add_truss_command(command graph_command) {
  auto given = std::make_shared<wanted_trusses>();
  command trusses = add_analysis_command(
      graph_command, "ktruss", "K-trusses: parts in which every edge is in k - 2 triangles or more",
      "the ids of both ends of an edge (a line for each edge), and the largest k of a truss that it is in",
      *given);
  trusses.add_number("--k", 2, std::numeric_limits<std::uint32_t>::max(),
                     "Tell of the k-truss; by default of that with the largest k",
                     [given](std::uint64_t k) { given->k = k; });
  trusses.example("web.store --output trusses.csv", "Write the truss of each edge");
  trusses.callback([given] { find_trusses(*given); });
}

}  // namespace perdure::cli
