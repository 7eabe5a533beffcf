#include "graph_inputs.hpp"

#include <cstdio>
#include <stdexcept>
#include <utility>

#include "ingested_files.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

/// Passes everything on but `next`.
class wrapped_source : public graph::edge_source {
 public:
  explicit wrapped_source(std::unique_ptr<graph::edge_source> source) : source_(std::move(source)) {}

  bool next(graph::edge_batch& batch) override { return source_->next(batch); }
  workload::progress progress() const noexcept override { return source_->progress(); }
  graph::id_range declared_vertices() const noexcept override { return source_->declared_vertices(); }
  std::uint64_t skipped_lines() const noexcept override { return source_->skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return source_->ignored_columns(); }

 private:
  std::unique_ptr<graph::edge_source> source_;
};

class interruptible_source final : public wrapped_source {
 public:
  using wrapped_source::wrapped_source;

  bool next(graph::edge_batch& batch) override {
    const bool more = wrapped_source::next(batch);
    if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
    return more;
  }
};

class both_directions_source final : public wrapped_source {
 public:
  using wrapped_source::wrapped_source;

  bool next(graph::edge_batch& batch) override {
    const bool more = wrapped_source::next(batch);
    const std::size_t count = batch.edges.size();
    for (std::size_t i = 0; i < count; ++i) {
      const graph::edge e = batch.edges[i];
      if (e.source == e.target) continue;
      batch.edges.push_back({e.target, e.source});
      if (!batch.values.empty()) batch.values.push_back(double{batch.values[i]});
      if (!batch.times.empty()) batch.times.push_back(double{batch.times[i]});
    }
    return more;
  }
};

}  // namespace

std::unique_ptr<graph::edge_source> interruptible(std::unique_ptr<graph::edge_source> source) {
  return std::make_unique<interruptible_source>(std::move(source));
}

std::unique_ptr<graph::edge_source> in_both_directions(std::unique_ptr<graph::edge_source> source) {
  return std::make_unique<both_directions_source>(std::move(source));
}

std::vector<graph_input> open_inputs(const std::vector<std::filesystem::path>& files,
                                     graph::graph_file_options options,
                                     const interruption_watch& interruption) {
  options.end_descriptor = interruption.descriptor();
  std::vector<graph_input> inputs;
  inputs.reserve(files.size());
  for (const auto& file : files) {
    std::unique_ptr<graph::graph_file> opened = graph::open_graph_file(file, options);
    graph::graph_file_info info = opened->info();
    inputs.push_back({file.filename(), fingerprint_of(file).value_or(""), std::move(info),
                      interruptible(std::move(opened))});
  }
  return inputs;
}

growth_wanted growth_of(const std::vector<graph_input>& inputs) {
  growth_wanted wanted;
  bool agree = true;
  for (const graph_input& one : inputs) {
    wanted.has_weights |= one.info.has_weights;
    wanted.has_times |= one.info.has_times;
    agree &= one.info.kind == inputs.front().info.kind;
  }
  if (agree && !inputs.empty()) wanted.files_say = inputs.front().info.kind;
  return wanted;
}

void give_directions(std::vector<graph_input>& inputs, graph::direction kind) {
  for (graph_input& one : inputs)
    if (kind == graph::direction::directed && one.info.kind == graph::direction::undirected)
      one.edges = in_both_directions(std::move(one.edges));
}

json what_was_read(const graph_input& input) {
  return {{"file", input.name},
          {"format", graph::name_of(input.info.format)},
          {"description", input.info.description},
          {"weights", input.info.has_weights},
          {"times", input.info.has_times}};
}

void tell_ignored_columns(const graph_input& input) {
  const unsigned columns = input.edges->ignored_columns();
  if (columns != 0)
    std::fprintf(
        stderr,
        "perdure: %s: %u further column%s ignored (--weight-column and --time-column say what is kept)\n",
        printable_name(input.name).c_str(), columns, columns == 1 ? " is" : "s are");
}

}  // namespace perdure::cli
