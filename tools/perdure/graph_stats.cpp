// perdure graph stats: how many neighbours vertices have.
#include <memory>
#include <perdure/graph/degrees.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "degree_report.hpp"
#include "graph_analysis.hpp"
#include "plot.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct stats_options : analysis_options {
  std::filesystem::path plot;
};

std::vector<std::pair<double, double>> points_of(const graph::degree_distribution& degrees) {
  std::vector<std::pair<double, double>> all;
  all.reserve(degrees.vertices.size());
  for (const auto& [degree, count] : degrees.vertices)
    all.emplace_back(static_cast<double>(degree), static_cast<double>(count));
  return all;
}

void write_plot(const stats_options& given, const graph::degree_distribution& out_degrees,
                const graph::degree_distribution* in_degrees) {
  if (given.plot.empty()) return;
  plot what{"Degrees of " + given.store.filename().string(), "neighbours", "vertices", true, {}};
  what.all.push_back({in_degrees == nullptr ? "degree" : "out-degree", points_of(out_degrees), false});
  if (in_degrees != nullptr) what.all.push_back({"in-degree", points_of(*in_degrees), false});
  output out = output::to(given.plot);
  out.write(svg_of(what));
  out.finish();
}

void show(const stats_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::degree_result degrees = run.timed([&] { return graph::degrees(graph); });
    if (graph.symmetric()) {
      run.write_vertices(graph, {{"degree"}},
                         [&](value_line& line, graph::vertex_handle v) { line(degrees.out[v]); });
    } else {
      run.write_vertices(
          graph, {{"out_degree"}, {"in_degree"}},
          [&](value_line& line, graph::vertex_handle v) { line(degrees.out[v], degrees.in[v]); });
    }
    const graph::degree_distribution out_degrees(degrees.out);
    const graph::degree_distribution in_degrees(degrees.in);
    write_plot(given, out_degrees, graph.symmetric() ? nullptr : &in_degrees);
    json findings{{"undirected", graph.symmetric()},
                  {"edges", degrees.edges},
                  {"self_loops", degrees.self_loops},
                  {"isolated", degrees.isolated},
                  {"degrees", as_json(out_degrees)}};
    if (!graph.symmetric()) findings["in_degrees"] = as_json(in_degrees);
    run.report(findings, [&](output& out) {
      out.write("graph          " + counted(graph.size(), "vertex", "vertices") + ", " +
                counted(degrees.edges, "edge", "edges") +
                (graph.symmetric() ? ", undirected " : ", directed ") + run.times("counting") + "\n");
      out.write("self loops     " + grouped(degrees.self_loops) + "\n");
      out.write("isolated       " + grouped(degrees.isolated) + "\n");
      out.write((graph.symmetric() ? "degrees        " : "out-degrees    ") + in_words(out_degrees) +
                as_text(out_degrees));
      if (!graph.symmetric()) out.write("in-degrees     " + in_words(in_degrees) + as_text(in_degrees));
    });
  });
}

}  // namespace

void add_stats_command(command graph_command) {
  auto given = std::make_shared<stats_options>();
  command stats = add_analysis_command(graph_command, "stats",
                                       "How many neighbours vertices have, and how many have as many",
                                       "id and degree, of a directed graph out-degree and in-degree", *given);
  stats.add_path("--plot", given->plot, "Draw the distribution into this file, as SVG with logarithmic axes");
  stats.example("web.store --plot degrees.svg", "Draw the distribution of degrees");
  stats.callback([given] { show(*given); });
}

}  // namespace perdure::cli
