// perdure graph export, perdure graph convert: graphs from stores, and from files, to files of other formats.
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/graph/write_graph.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <variant>
#include <vector>

#include "command.hpp"
#include "graph_inputs.hpp"
#include "graph_options.hpp"
#include "progress.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

enum class written_as { by_name, edge_list, matrix_market, gapbs, graphml };

/// Where to, and as what.
struct export_target {
  std::filesystem::path file;
  written_as format = written_as::by_name;
  std::filesystem::path ids;
  bool without_weights = false;
  bool as_json = false;

  graph::written_format chosen() const {
    if (format == written_as::edge_list) return graph::written_format::edge_list;
    if (format == written_as::matrix_market) return graph::written_format::matrix_market;
    if (format == written_as::gapbs) return graph::written_format::gapbs;
    if (format == written_as::graphml) return graph::written_format::graphml;
    const std::filesystem::path ending = file.extension();
    if (ending == ".mtx") return graph::written_format::matrix_market;
    if (ending == ".sg" || ending == ".wsg") return graph::written_format::gapbs;
    if (ending == ".graphml" || ending == ".xml") return graph::written_format::graphml;
    return graph::written_format::edge_list;
  }
  const char* format_name() const {
    switch (chosen()) {
      case graph::written_format::edge_list:
        return "text";
      case graph::written_format::matrix_market:
        return "mtx";
      case graph::written_format::gapbs:
        return "gapbs";
      case graph::written_format::graphml:
        return "graphml";
    }
    return "text";
  }
};

void add_target_options(command added, export_target& target) {
  added.add_path("-o,--output", target.file, "File to write; '-' is standard output").required();
  added
      .add_choice(
          "--to", target.format,
          {{"auto", written_as::by_name},
           {"text", written_as::edge_list},
           {"mtx", written_as::matrix_market},
           {"gapbs", written_as::gapbs},
           {"graphml", written_as::graphml}},
          "Format: text (an edge list), mtx, gapbs (.sg, with weights .wsg), graphml. By default by the "
          "name's ending")
      .default_text("auto");
  added.add_path(
      "--ids", target.ids,
      "Write the id (or name) of each vertex to this file, a line each, in the order in which mtx and gapbs "
      "number them");
  added.add_flag("--without-weights", target.without_weights, "Leave weights out");
  add_json_option(added, target.as_json);
}

void require_target(const export_target& target) {
  if (workload::uncompressed_name(target.file) != target.file)
    throw usage_error("-o " + target.file.string() +
                      ": output is not compressed; pipe '-o -' through gzip, zstd or xz instead");
  if (target.as_json && target.file == "-")
    throw usage_error("--json and -o - would both write to standard output: give -o a file");
}

template <class Graph>
void write(const Graph& graph, const export_target& target, graph::written_parts parts, json report,
           const stopwatch& watch) {
  parts.format = target.chosen();
  parts.with_weights = !target.without_weights;
  {
    output out = output::to(target.file);
    graph::write_graph(graph, parts, [&](std::string_view piece) { out.write(piece); });
    out.finish();
  }
  if (!target.ids.empty()) {
    output ids = output::to(target.ids);
    for (const graph::vertex_handle v : graph.in_id_order()) {
      ids.write(parts.name ? std::string(parts.name(graph.id(v))) : std::to_string(graph.id(v)));
      ids.write("\n");
    }
    ids.finish();
  }
  if (target.file == "-") return;
  const bool is_file = std::filesystem::is_regular_file(target.file);
  report.update({{"file", target.file.string()},
                 {"format", target.format_name()},
                 {"vertices", graph.size()},
                 {"arcs", graph.arcs()},
                 {"undirected", graph.symmetric()},
                 {"bytes", is_file ? std::filesystem::file_size(target.file) : 0},
                 {"seconds", watch.seconds()}});
  if (target.as_json) return print(report);
  output out = output::standard();
  out.write("wrote " + counted(graph.size(), "vertex", "vertices") + ", " +
            counted(graph.arcs(), "arc", "arcs") + " to " + target.file.string() + " (" +
            target.format_name() + ") in " + in_seconds(watch.seconds()) + "\n");
  out.finish();
}

struct export_options {
  std::filesystem::path store;
  std::string graph;
  std::uint64_t budget = 0;
  export_target target;
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
};

void export_graph(const export_options& given) {
  require_target(given.target);
  const stopwatch watch;
  const attached_graph attached(given.store, given.graph, settings_for(given.verify, given.budget));
  graph::written_parts parts;
  if (attached.names != nullptr) parts.name = [&](graph::vertex_id id) { return attached.names->name(id); };
  json report{{"store", given.store.string()}, {"graph", attached.name}};
  if (const auto* const rows = std::get_if<const graph::stored_csr*>(&attached.graph)) {
    write((*rows)->view(), given.target, parts, std::move(report), watch);
    return;
  }
  const graph::vertex_index index(*std::get<const stored_graph*>(attached.graph), given.threads,
                                  attached.weights);
  const auto* const times = attached.store.find<stored_column>(attached.name + times_suffix).first;
  if (times != nullptr) parts.times = [&](graph::vertex_handle v) { return times->find(index.id(v)); };
  write(index, given.target, parts, std::move(report), watch);
}

template <class T>
using ordinary_allocator = std::allocator<T>;
using ordinary_containers = graph::flat_containers<ordinary_allocator>;

struct convert_options {
  std::vector<std::filesystem::path> files;
  graph::graph_file_options reading;
  graph::duplicate_edges duplicates = graph::duplicate_edges::keep;
  bool directed = false;
  bool undirected = false;
  bool has_names = false;
  export_target target;
  unsigned threads = 1;
};

void convert(const convert_options& given) {
  require_target(given.target);
  if (given.directed && given.undirected) throw usage_error("--directed and --undirected exclude each other");
  const stopwatch watch;
  const interruption_watch interruption;
  graph::vertex_names<std::allocator<std::byte>> names;
  graph::names_to_number<graph::vertex_names<std::allocator<std::byte>>> namer(names);
  graph::graph_file_options reading = given.reading;
  if (given.has_names) reading.names = &namer;
  std::vector<graph_input> inputs = open_inputs(given.files, reading, interruption);
  const growth_wanted has = growth_of(inputs);
  const graph::direction kind = given.undirected ? graph::direction::undirected
                                : given.directed ? graph::direction::directed
                                                 : has.files_say.value_or(graph::direction::directed);
  give_directions(inputs, kind);
  graph::adjacency_list<ordinary_containers> list(kind);
  graph::edge_column<ordinary_containers> weights(graph::weight_of_edges_without);
  graph::edge_column<ordinary_containers> times(0);
  graph::edge_columns<ordinary_containers> columns;
  if (has.has_weights || given.duplicates == graph::duplicate_edges::sum) columns.weights = &weights;
  if (has.has_times) columns.times = &times;
  json read = json::array();
  std::uint64_t skipped = 0;
  try {
    for (const graph_input& one : inputs) {
      const progress_line progress("read " + one.name, [&one] { return one.edges->progress(); });
      // The order of the input is that of its edges in the output, so one thread reads.
      graph::ingest(list, *one.edges, {}, columns);
      skipped += one.edges->skipped_lines();
      tell_ignored_columns(one);
      read.push_back(what_was_read(one));
    }
  } catch (...) {
    if (const int signal = interruption_watch::signal(); signal != 0)
      throw interrupted(signal, "interrupted: nothing was written");
    throw;
  }
  graph::merge_duplicates(list, columns, given.duplicates, given.threads);
  const graph::vertex_index index(list, given.threads, columns.weights);
  graph::written_parts parts;
  if (given.has_names) parts.name = [&](graph::vertex_id id) { return names.name(id); };
  if (columns.times != nullptr) parts.times = [&](graph::vertex_handle v) { return times.find(index.id(v)); };
  write(index, given.target, parts, {{"files", read}, {"skipped_lines", skipped}}, watch);
}

}  // namespace

void add_export_commands(command graph_command) {
  auto given = std::make_shared<export_options>();
  command exported = graph_command.add_command("export", "Write a graph of a store to a file");
  exported.add_path("STORE", given->store, store_to_read).required();
  add_graph_options(exported, given->graph, given->budget);
  add_target_options(exported, given->target);
  add_threads_option(exported, given->threads);
  add_verify_option(exported, given->verify);
  exported.callback([given] { export_graph(*given); });

  auto converting = std::make_shared<convert_options>();
  command converted = graph_command.add_command(
      "convert", "Write graphs of files, taken together, to a file of another format");
  converted
      .add_paths("FILE", converting->files, "Graphs of all formats that ingest takes; '-' is standard input")
      .required();
  add_file_options(converted, converting->reading);
  add_duplicates_option(converted, converting->duplicates);
  converted.add_flag("--undirected", converting->undirected,
                     "Make an undirected graph. By default as the files say, else directed");
  converted.add_flag("--directed", converting->directed,
                     "Make a directed graph: of edges without a direction both arcs");
  converted.add_flag("--names", converting->has_names, "Vertices have names");
  add_target_options(converted, converting->target);
  add_threads_option(converted, converting->threads);
  converted.callback([converting] { convert(*converting); });
}

}  // namespace perdure::cli
