// perdure graph neighbours: what is around a vertex.
#include <algorithm>
#include <memory>
#include <perdure/graph/neighbourhood.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct wanted_neighbours : analysis_options {
  std::string vertex;
  std::uint64_t hops = 1;
};

void find_neighbours(const wanted_neighbours& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle vertex = run.vertex_of(graph, given.vertex);
    const graph::neighbourhood_result found =
        run.timed([&] { return graph::neighbourhood(graph, vertex, given.hops); });
    run.check([&] { return graph::verify_neighbourhood(graph, vertex, given.hops, found); });
    std::vector<std::pair<graph::vertex_id, std::uint64_t>> around;  // and how far
    found.each([&](graph::vertex_handle v, std::uint64_t hops) {
      if (hops != 0) around.emplace_back(graph.id(v), hops);
    });
    std::sort(around.begin(), around.end());
    run.write_lines({{.name = "id", .is_vertex = true}, {"hops"}}, [&](graph::result_table& file) {
      for (const auto& [id, hops] : around) file.line(graph::vertex_value{id}, hops);
    });
    json ids = json::array();
    if (given.as_json)
      for (const auto& [id, hops] : around) ids.push_back(id);
    json findings{{"vertex", graph.id(vertex)}};
    run.add_name(findings, "vertex_name", graph.id(vertex));
    findings.update(
        {{"hops", given.hops}, {"reached", around.size()}, {"levels", found.histogram}, {"neighbours", ids}});
    run.add_names(findings, "neighbour_names", ids);
    run.report(findings, [&](output& out) {
      out.write("neighbours     " + grouped(around.size()) + " within " + counted(given.hops, "hop", "hops") +
                " of vertex " + printable_name(run.name_of(graph.id(vertex))) + " " + run.times("search") +
                "\n");
      constexpr std::uint64_t most = 20;
      for (std::size_t hops = 1; hops < found.histogram.size(); ++hops) {
        std::string names;
        std::uint64_t written = 0;
        for (const auto& [id, far] : around) {
          if (far != hops) continue;
          if (++written > most) break;
          names += " " + printable_name(run.name_of(id));
        }
        out.write("hop " + std::to_string(hops) + "          " + grouped(found.histogram[hops]) + ":" +
                  names + (written > most ? " …" : "") + "\n");
      }
    });
  });
}

}  // namespace

void add_neighbours_command(command graph_command) {
  auto given = std::make_shared<wanted_neighbours>();
  command around = add_analysis_command(graph_command, "neighbours",
                                        "The vertices around one: those that at most so many arcs lead to",
                                        "id and how many arcs away, of those around it", *given);
  add_vertex_option(around, "V", given->vertex, "The vertex");
  around.add_number("--hops", given->hops, "How many arcs away at most");
  around.example("web.store 42 --hops 2", "List the vertices at most two arcs away from vertex 42");
  around.callback([given] { find_neighbours(*given); });
}

}  // namespace perdure::cli
