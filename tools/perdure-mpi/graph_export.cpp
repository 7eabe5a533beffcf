// perdure-mpi graph export: writes the graph of a set as an edge list.
#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <perdure/graph/result_table.hpp>
#include <utility>

#include "graph_options.hpp"
#include "job.hpp"
#include "set_analysis.hpp"

namespace perdure::cli {
namespace {

const char* name_of(graph::table_format format) {
  switch (format) {
    case graph::table_format::csv:
      return "csv";
    case graph::table_format::numpy:
      return "npy";
    case graph::table_format::text:
    case graph::table_format::records:
      break;
  }
  return "text";
}

/// Each edge once, by the rank that has the end with the smaller id, in the order of both ends.
void write_edges(job& job_of_ranks, const set_options& given) {
  if (given.output.empty()) throw usage_error("give -o, the file to write");
  set_analysis run(job_of_ranks, given);
  const graph::rank_graph own = graph::in_id_order(run.part(), run.ranks(), given.threads);
  const bool has_weights = run.has_weights();
  std::vector<graph::vertex_id> ends;
  std::vector<std::uint64_t> arcs;
  vertex_lines lines;
  for (graph::vertex_handle v = 0; v < own.size(); ++v)
    for (std::uint64_t i = own.offsets()[v]; i < own.offsets()[v + std::size_t{1}]; ++i) {
      const graph::vertex_id end = own.number(own.targets()[i]);
      if (end < own.number(v)) continue;
      lines.ids.push_back(own.id(v));
      ends.push_back(end);
      arcs.push_back(i);
    }
  ends = graph::ids_of(own, ends, run.ranks());
  for (std::size_t edge = 0; edge < ends.size(); ++edge) {
    lines.values.push_back(ends[edge]);
    if (has_weights) lines.values.push_back(std::bit_cast<std::uint64_t>(own.weights()[arcs[edge]]));
  }
  std::vector<graph::result_column> columns{{.name = "target", .is_vertex = true}};
  if (has_weights) columns.push_back({.name = "weight", .is_real = true});
  std::uint64_t edges[] = {lines.ids.size()};
  run.write_lines("source", columns, std::move(lines));
  run.ranks().add_up(edges);
  const bool is_file = std::filesystem::is_regular_file(given.output);
  const json findings{{"file", given.output.string()},
                      {"format", name_of(graph::table_format_of(given.output))},
                      {"edges", edges[0]},
                      {"arcs", edges[0]},
                      {"undirected", true},
                      {"left_out", json::array()},
                      {"bytes", is_file ? std::filesystem::file_size(given.output) : 0}};
  run.report(findings, [&](output& out) {
    out.write("wrote          " + grouped(edges[0]) + " edges to " + given.output.string() + "\n");
  });
}

}  // namespace

void add_export_command(command graph_command, job& run) {
  auto given = std::make_shared<set_options>();
  command exported = add_set_command(graph_command, "export", "Write the graph as an edge list",
                                     "each edge once, as two ids and its weight, if it has one", *given);
  exported.example("web.set --output edges.txt", "Write the edges");
  exported.callback([given, &run] { write_edges(run, *given); });
}

}  // namespace perdure::cli
