#include "graph_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "complaint.hpp"
#include "graph_options.hpp"
#include "progress.hpp"
#include "type_names.hpp"

namespace perdure::cli {

std::optional<graph::direction> graph_files::kind() const {
  if (directed && undirected) throw usage_error("--directed and --undirected exclude each other");
  if (undirected) return graph::direction::undirected;
  if (directed) return graph::direction::directed;
  return std::nullopt;
}

void graph_files::require_some(const std::string& verb) const {
  if (files.empty() && !rmat_scale) throw usage_error("nothing to " + verb + ": give files or --rmat-scale");
}

std::vector<graph::graph_input> graph_files::open(const interruption_watch& interruption,
                                                  graph::vertex_namer* names,
                                                  const graph::source_share& share) const {
  graph::graph_file_options how = reading;
  how.end_descriptor = interruption.descriptor();
  how.names = names;
  std::vector<graph::graph_input> inputs = graph::open_graph_inputs(files, how, stop_if_interrupted, share);
  if (rmat_scale) {
    graph::rmat_parameters parameters = rmat;
    parameters.scale = *rmat_scale;
    inputs.push_back(graph::generated_input(parameters, stop_if_interrupted, share));
  }
  return inputs;
}

void add_direction_options(command target, graph_files& files) {
  target.add_flag(
      "--undirected", files.undirected,
      "Make an undirected graph: each edge has both ends. By default as the files say, else directed");
  target.add_flag("--directed", files.directed,
                  "Make a directed graph: of edges without a direction both arcs");
}

void add_generated_options(command target, graph_files& files) {
  target.add_number("--rmat-scale", 1, graph::rmat_generator::max_scale,
                    "Generate an R-MAT graph with 2^N vertex ids",
                    [&files](std::uint64_t n) { files.rmat_scale = static_cast<unsigned>(n); });
  add_rmat_options(target, files.rmat);
}

graph::reading_watch progress_of(const std::string& verb) {
  return [verb](const std::string& name, std::function<workload::progress()> read) -> std::shared_ptr<void> {
    // Behind reading comes what the work reports itself.
    const progress_record* const record = current_progress();
    return std::make_shared<progress_line>(verb + " " + name, [record, read = std::move(read)] {
      const workload::progress now = read();
      const bool is_read = now.total != 0 && now.done >= now.total;
      return is_read && record != nullptr ? record->now() : now;
    });
  };
}

void stop_if_interrupted() {
  if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
}

json what_was_read(const std::vector<graph::graph_input>& inputs) {
  json read = json::array();
  for (const graph::graph_input& one : inputs)
    read.push_back({{"file", one.name},
                    {"format", graph::name_of(one.info.format)},
                    {"description", one.info.description},
                    {"weights", one.info.has_weights},
                    {"times", one.info.has_times},
                    {"left_out", one.edges->left_out()}});
  return read;
}

unsigned tell_ignored_columns(const std::vector<graph::graph_input>& inputs, const char* program) {
  unsigned most = 0;
  for (const graph::graph_input& one : inputs) {
    if (const std::vector<std::string> left_out = one.edges->left_out(); !left_out.empty()) {
      std::string names;
      for (const std::string& name : left_out) names += (names.empty() ? "" : ", ") + printable_name(name);
      remark(program, printable_name(one.name) + ": not kept: " + names);
    }
    const unsigned columns = one.edges->ignored_columns();
    most = std::max(most, columns);
    if (columns != 0)
      remark(program, printable_name(one.name) + ": " + std::to_string(columns) +
                          (columns == 1 ? " further column is" : " further columns are") +
                          " ignored (--weight-column and --time-column say what is kept)");
  }
  return most;
}

}  // namespace perdure::cli
