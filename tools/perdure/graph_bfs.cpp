// perdure graph bfs: distances from one vertex.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/graph/bfs.hpp>
#include <string>

#include "command.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct bfs_options : analysis_options {
  std::string source;
  std::filesystem::path levels;
};

/// A line a level, or of the many levels of a road map what matters of them; --json and --output have all.
void write_levels(output& out, const graph::bfs_summary& found) {
  constexpr std::size_t most_lines = 24;
  const auto& counts = found.histogram;
  if (counts.size() <= most_lines) {
    for (std::size_t level = 0; level < counts.size(); ++level)
      out.write("level " + std::to_string(level) + "  " + grouped(counts[level]) + "\n");
    return;
  }
  const auto fullest = std::max_element(counts.begin(), counts.end());
  std::size_t median = 0;
  for (std::uint64_t within = counts[0]; within * 2 < found.reached; within += counts[median]) ++median;
  out.write("levels         0 to " + grouped(counts.size() - 1) + "; half of the vertices within " +
            grouped(median) + "; the most, " + grouped(*fullest) + ", at " +
            grouped(static_cast<std::uint64_t>(fullest - counts.begin())) + "\n");
}

void search(const bfs_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle source = run.vertex_of(graph, given.source);
    const graph::bfs_result result = run.timed([&] { return graph::bfs(graph, source, given.threads); });
    const graph::bfs_summary& found = result.summary;
    run.check([&] { return graph::verify_bfs(graph, source, result.levels, result.parents); });
    run.write_vertices(graph, {{"level"}, {.name = "parent", .is_vertex = true}},
                       [&](value_line& line, graph::vertex_handle v) {
                         if (result.levels[v] != graph::unreached)
                           line(result.levels[v], graph::vertex_value{graph.id(result.parents[v])});
                       });
    run.write_vertices_to(given.levels, ' ', graph, {{"level"}},
                          [&](value_line& line, graph::vertex_handle v) {
                            if (result.levels[v] != graph::unreached) line(result.levels[v]);
                          });
    // Graph500 counts an undirected edge once.
    const std::uint64_t edges = graph.symmetric() ? found.arcs / 2 : found.arcs;
    const double teps = run.seconds() > 0 ? static_cast<double>(edges) / run.seconds() : 0;
    json findings{{"source", graph.id(source)}};
    run.add_name(findings, "source_name", graph.id(source));
    findings.update({{"reached", found.reached},
                     {"reached_arcs", found.arcs},
                     {"teps", teps},
                     {"levels", found.histogram},
                     {"undirected", graph.symmetric()}});
    run.report(findings, [&](output& out) {
      out.write("reached        " + grouped(found.reached) + " of " +
                counted(run.vertices(), "vertex", "vertices") + " from vertex " +
                printable_name(run.name_of(graph.id(source))) + " " + run.times("search") + "\n");
      out.write("speed          " + per_second(teps) + " edges a second\n");
      write_levels(out, found);
    });
  });
}

}  // namespace

void add_bfs_command(command graph_command) {
  auto given = std::make_shared<bfs_options>();
  command bfs = add_analysis_command(
      graph_command, "bfs", "Breadth-first search: the distance of every vertex that can be reached from one",
      "id, level, and the id of a vertex before it on a shortest path, of each vertex reached", *given);
  add_vertex_option(bfs, "--source", given->source, "Vertex to start from");
  bfs.add_path("--levels", given->levels,
               "Write a line 'id level' for each vertex reached, sorted by id; '-' is standard output");
  bfs.callback([given] {
    require_own_output("--levels", given->levels, given->as_json);
    search(*given);
  });
}

}  // namespace perdure::cli
