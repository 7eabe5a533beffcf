// perdure graph bfs: distances from one vertex.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <perdure/graph/bfs.hpp>
#include <span>
#include <string>

#include "command.hpp"
#include "external_arrays.hpp"
#include "graph_analysis.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct bfs_options : analysis_options {
  std::string source;
  std::filesystem::path levels;
  std::filesystem::path scratch;
  bool is_external = false;
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

/// Answer of a search, wherever its arrays are.
struct found_levels {
  std::span<const std::uint32_t> levels;
  std::span<const graph::vertex_handle> parents;
  const graph::bfs_summary& summary;
};

template <class Graph>
void tell_levels(const bfs_options& given, analysis& run, const Graph& graph, graph::vertex_handle source,
                 const found_levels& result, const external_arrays* external) {
  const graph::bfs_summary& found = result.summary;
  run.check([&] { return graph::verify_bfs(graph, source, result.levels, result.parents); });
  run.write_vertices(graph, {{"level"}, {.name = "parent", .is_vertex = true}},
                     [&](value_line& line, graph::vertex_handle v) {
                       if (result.levels[v] != graph::unreached)
                         line(result.levels[v], graph::vertex_value{graph.id(result.parents[v])});
                     });
  run.write_vertices_to(given.levels, ' ', graph, {{"level"}}, [&](value_line& line, graph::vertex_handle v) {
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
  if (external != nullptr) {
    const pager::statistics paged = external->statistics();
    findings["external"] = {{"array_bytes", external->bytes()},
                            {"most_resident_bytes", paged.most_resident_bytes},
                            {"bytes_read", paged.bytes_read},
                            {"bytes_written", paged.bytes_written},
                            {"keeps_budget", external->keeps_budget()}};
  }
  run.report(findings, [&](output& out) {
    out.write("reached        " + grouped(found.reached) + " of " +
              counted(run.vertices(), "vertex", "vertices") + " from vertex " +
              printable_name(run.name_of(graph.id(source))) + " " + run.times("search") + "\n");
    out.write("speed          " + per_second(teps) + " edges a second\n");
    if (external != nullptr)
      out.write(
          "arrays         " + in_bytes(external->bytes()) + " in a file, " +
          (external->keeps_budget()
               ? "at most " + in_bytes(external->statistics().most_resident_bytes) + " of it in memory\n"
               : "which the kernel keeps in memory as it likes: the pager has only its tier plain here\n"));
    write_levels(out, found);
  });
}

void search(const bfs_options& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle source = run.vertex_of(graph, given.source);
    const graph::bfs_result result = run.timed([&] { return graph::bfs(graph, source, given.threads); });
    tell_levels(given, run, graph, source, {result.levels, result.parents, result.summary}, nullptr);
  });
}

/// The directory that a store is in.
std::filesystem::path directory_of(const std::filesystem::path& store) {
  const std::filesystem::path whole = std::filesystem::absolute(store).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).parent_path();
}

/// Half of the budget is for the store, half for the arrays.
void search_externally(const bfs_options& given) {
  constexpr std::uint64_t least_budget = std::uint64_t{1} << 20;
  if (given.budget < least_budget)
    throw usage_error(
        "--external needs --budget SIZE, of at least 1MiB: half of it is for the store, half for "
        "the arrays of the search");
  bfs_options halves = given;
  halves.budget = given.budget / 2;
  analysis run(halves);
  run.require_rows("--external");
  run.on_graph([&](const auto& graph) {
    const graph::vertex_handle source = run.vertex_of(graph, given.source);
    const external_arrays external(given.scratch.empty() ? directory_of(given.store) : given.scratch,
                                   graph.size(), halves.budget);
    const graph::bfs_arrays arrays = external.arrays();
    const graph::bfs_summary found =
        run.timed([&] { return graph::bfs(graph, source, arrays, given.threads); });
    tell_levels(given, run, graph, source, {arrays.levels, arrays.parents, found}, &external);
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
  bfs.add_flag(
      "--external", given->is_external,
      "Keep the arrays of the search within --budget too, in a file without a name, for graphs whose "
      "vertices alone do not fit in memory");
  bfs.add_path("--scratch", given->scratch,
               "With --external, the directory of that file. By default the one that the store is in");
  bfs.example("web.store --source 42", "Count the vertices at each distance from vertex 42");
  bfs.example("web.store --source 42 --levels levels.txt", "Write the distance of each vertex to a file");
  bfs.callback([given] {
    require_own_output("--levels", given->levels, given->as_json);
    if (!given->scratch.empty() && !given->is_external)
      throw usage_error("--scratch is the directory of what --external keeps in a file: give --external too");
    given->is_external ? search_externally(*given) : search(*given);
  });
}

}  // namespace perdure::cli
