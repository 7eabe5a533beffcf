// perdure graph tc, perdure graph clustering: triangles, and clustering coefficients.
#include <memory>
#include <perdure/graph/triangles.hpp>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

void count(const analysis_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const std::uint64_t triangles = run.timed([&] { return graph::count_triangles(graph, given.threads); });
    run.check([&] { return graph::verify_triangles(graph, triangles); });
    if (!given.output.empty()) {
      const std::vector<std::uint64_t> at = graph::clustering(graph, given.threads).triangles;
      run.write_vertices(graph, {{"triangles"}},
                         [&](value_line& line, graph::vertex_handle v) { line(at[v]); });
    }
    run.report({{"triangles", triangles}}, [&](output& out) {
      out.write("triangles      " + grouped(triangles) + " " + run.times("counting") + "\n");
    });
  });
}

void cluster(const analysis_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::clustering_result result =
        run.timed([&] { return graph::clustering(graph, given.threads); });
    const graph::clustering_summary& found = result.summary;
    run.check([&] { return graph::verify_triangles(graph, result.triangles); });
    run.write_vertices(
        graph, {{"clustering", true}, {"triangles"}},
        [&](value_line& line, graph::vertex_handle v) { line(result.coefficients[v], result.triangles[v]); });
    run.report({{"average_clustering", found.average_clustering},
                {"transitivity", found.transitivity},
                {"triangles", found.triangles}},
               [&](output& out) {
                 out.write("clustering     " + std::to_string(found.average_clustering) + " on average " +
                           run.times("clustering") + "\n");
                 out.write("transitivity   " + std::to_string(found.transitivity) + "\n");
                 out.write("triangles      " + grouped(found.triangles) + "\n");
               });
  });
}

}  // namespace

void add_triangle_commands(command graph_command) {
  auto given = std::make_shared<analysis_options>();
  command triangles = add_analysis_command(
      graph_command, "tc", "Count triangles: three vertices joined with each other, in whichever direction",
      "id and triangles that the vertex is in", *given);
  triangles.example("web.store", "Count the triangles");
  triangles.callback([given] { count(*given); });
  auto given_clustering = std::make_shared<analysis_options>();
  command clustering = add_analysis_command(
      graph_command, "clustering",
      "Clustering coefficients: which part of a vertex's neighbours are neighbours",
      "id, clustering coefficient, and triangles that the vertex is in", *given_clustering);
  clustering.example("web.store --output coefficients.csv", "Write the coefficient of each vertex");
  clustering.callback([given_clustering] { cluster(*given_clustering); });
}

}  // namespace perdure::cli
