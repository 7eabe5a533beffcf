// perdure graph export, perdure graph convert: graphs from stores, and from files, to files of other formats.
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/export_graph.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "attached_graph.hpp"
#include "command.hpp"
#include "complaint.hpp"
#include "graph_files.hpp"
#include "graph_options.hpp"
#include "type_names.hpp"
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
  unsigned threads = 1;
  bool as_json = false;

  graph::written_format chosen() const {
    switch (format) {
      case written_as::edge_list:
        return graph::written_format::edge_list;
      case written_as::matrix_market:
        return graph::written_format::matrix_market;
      case written_as::gapbs:
        return graph::written_format::gapbs;
      case written_as::graphml:
        return graph::written_format::graphml;
      case written_as::by_name:
        break;
    }
    return graph::written_format_of(file);
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
  add_threads_option(added, target.threads);
  add_wait_option(added);
  add_json_option(added, target.as_json);
}

void require_target(const export_target& target) {
  if (workload::uncompressed_name(target.file) != target.file)
    throw usage_error("-o " + target.file.string() +
                      ": output is not compressed; pipe '-o -' through gzip, zstd or xz instead");
  if (target.as_json && target.file == "-")
    throw usage_error("--json and -o - would both write to standard output: give -o a file");
}

/// Calls `work(options, write, report)`, which writes the graph, and prints what was written.
template <class Work>
void write_to(const export_target& target, Work&& work) {
  const stopwatch watch;
  output file = output::to(target.file);
  std::optional<output> ids;
  graph::export_options options{target.chosen(), !target.without_weights, target.threads, {}, nullptr};
  if (!target.ids.empty()) {
    ids.emplace(output::to(target.ids));
    options.write_id = [&ids](std::string_view text) { ids->write(text); };
  }
  json report;
  const graph::exported_graph written = work(
      options, [&file](std::string_view piece) { file.write(piece); }, report);
  file.finish();
  if (ids) ids->finish();
  if (!written.left_out.empty()) {
    std::string names;
    for (const std::string& name : written.left_out)
      names += (names.empty() ? "" : ", ") + printable_name(name);
    remark("perdure", target.file.string() + ": not written: " + names);
  }
  if (target.file == "-") return;
  const char* const format = graph::name_of(options.format);
  const bool is_file = std::filesystem::is_regular_file(target.file);
  report.update({{"file", target.file.string()},
                 {"format", format},
                 {"vertices", written.vertices},
                 {"arcs", written.arcs},
                 {"undirected", written.undirected},
                 {"left_out", written.left_out},
                 {"bytes", is_file ? std::filesystem::file_size(target.file) : 0},
                 {"seconds", watch.seconds()}});
  if (target.as_json) return print(report);
  output out = output::standard();
  out.write("wrote " + counted(written.vertices, "vertex", "vertices") + ", " +
            counted(written.arcs, "arc", "arcs") + " to " + target.file.string() + " (" + format + ") in " +
            in_seconds(watch.seconds()) + "\n");
  out.finish();
}

struct export_wanted {
  std::filesystem::path store;
  std::string graph;
  std::uint64_t budget = 0;
  export_target target;
  verify_mode verify = verify_mode::journal;
};

void export_graph(const export_wanted& given) {
  require_target(given.target);
  attached_graph attached(given.store, given.graph, settings_for(given.verify, given.budget));
  write_to(given.target, [&](const auto& options, const auto& write, json& report) {
    report = {{"store", given.store.string()}, {"graph", attached.graph().name()}};
    array_store arrays = attached.arrays();
    graph::export_options with_properties = options;
    with_properties.arrays = &arrays;
    return graph::export_graph(attached.graph(), with_properties, write);
  });
}

struct convert_wanted {
  graph_files input;
  graph::convert_options how;
  bool has_names = false;
  export_target target;
};

void convert(const convert_wanted& given) {
  require_target(given.target);
  const interruption_watch interruption;
  graph::memory_names names;
  graph::names_to_number<graph::memory_names> namer(names);
  std::vector<graph::graph_input> inputs = given.input.open(interruption, given.has_names ? &namer : nullptr);
  graph::convert_options how = given.how;
  how.kind = given.input.kind();
  how.names = given.has_names ? &names : nullptr;
  how.watch = progress_of("read");
  try {
    write_to(given.target, [&](const auto& options, const auto& write, json& report) {
      graph::exported_graph written = graph::convert_graph(inputs, how, options, write);
      std::uint64_t skipped = 0;
      for (const graph::graph_input& one : inputs) skipped += one.edges->skipped_lines();
      report = {{"files", what_was_read(inputs)}, {"skipped_lines", skipped}};
      tell_ignored_columns(inputs);
      return written;
    });
  } catch (...) {
    if (const int signal = interruption_watch::signal(); signal != 0)
      throw interrupted(signal, "interrupted: nothing was written");
    throw;
  }
}

}  // namespace

void add_export_commands(command graph_command) {
  auto given = std::make_shared<export_wanted>();
  command exported = graph_command.add_command("export", "Write a graph of a store to a file");
  exported.add_path("STORE", given->store, store_to_read).required();
  add_graph_options(exported, given->graph, given->budget);
  add_target_options(exported, given->target);
  add_verify_option(exported, given->verify);
  exported.example("web.store --output web.mtx", "Write a graph as a Matrix Market file");
  exported.callback([given] { export_graph(*given); });

  auto converting = std::make_shared<convert_wanted>();
  command converted = graph_command.add_command(
      "convert", "Write graphs of files, taken together, to a file of another format");
  converted
      .add_paths("FILE", converting->input.files,
                 "Graphs of all formats that ingest takes; '-' is standard input")
      .required();
  add_file_options(converted, converting->input.reading);
  add_duplicates_option(converted, converting->how.duplicates);
  add_direction_options(converted, converting->input);
  converted.add_flag("--names", converting->has_names, "Vertices have names");
  add_target_options(converted, converting->target);
  converted.example("edges.csv --output edges.metis", "Write the graph of a CSV file in the format of METIS");
  converted.callback([converting] { convert(*converting); });
}

}  // namespace perdure::cli
