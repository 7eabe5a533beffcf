// Opens the inputs of a graph, and wraps their edges.
#include <algorithm>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/workload/file_fingerprint.hpp>
#include <utility>

#include "ended_by_throw.hpp"

namespace perdure::graph {
namespace {

/// Passes everything on but what `next` does.
class wrapped_source : public edge_source {
 public:
  explicit wrapped_source(std::unique_ptr<edge_source> source) : source_(std::move(source)) {}

  bool next(edge_batch& batch) final {
    batch.clear();
    return end_.guard([&] {
      const bool more = source_->next(batch);
      change(batch);
      return more;
    });
  }
  workload::progress progress() const noexcept override { return source_->progress(); }
  id_range declared_vertices() const noexcept override { return source_->declared_vertices(); }
  std::uint64_t skipped_lines() const noexcept override { return source_->skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return source_->ignored_columns(); }
  std::vector<std::string> left_out() const override { return source_->left_out(); }
  std::vector<vertex_attribute> take_vertex_attributes() override {
    return source_->take_vertex_attributes();
  }
  attributed_edges take_edge_attributes() override { return source_->take_edge_attributes(); }

 private:
  virtual void change(edge_batch& batch) = 0;

  std::unique_ptr<edge_source> source_;
  detail::ended_by_throw end_;
};

class polled_source final : public wrapped_source {
 public:
  polled_source(std::unique_ptr<edge_source> source, reading_poll poll)
      : wrapped_source(std::move(source)), poll_(std::move(poll)) {}

 private:
  void change(edge_batch&) override { poll_(); }

  reading_poll poll_;
};

class both_directions_source final : public wrapped_source {
 public:
  using wrapped_source::wrapped_source;

  attributed_edges take_edge_attributes() override {
    attributed_edges taken = wrapped_source::take_edge_attributes();
    taken.both_ends = true;
    return taken;
  }

 private:
  void change(edge_batch& batch) override {
    const std::size_t count = batch.edges.size();
    for (std::size_t i = 0; i < count; ++i) {
      const edge e = batch.edges[i];
      if (e.source == e.target) continue;
      batch.edges.push_back({e.target, e.source});
      if (!batch.values.empty()) batch.values.push_back(double{batch.values[i]});
      if (!batch.times.empty()) batch.times.push_back(double{batch.times[i]});
    }
  }
};

std::unique_ptr<edge_source> polled(std::unique_ptr<edge_source> source, const reading_poll& poll) {
  if (!poll) return source;
  return std::make_unique<polled_source>(std::move(source), poll);
}

}  // namespace

std::vector<graph_input> open_graph_inputs(const std::vector<std::filesystem::path>& files,
                                           const graph_file_options& options, const reading_poll& poll,
                                           const source_share& share) {
  std::vector<graph_input> inputs;
  inputs.reserve(files.size());
  const auto nothing = [] { return std::make_unique<span_source>(std::span<const edge>()); };
  for (const auto& file : files) {
    // A pipe can be read once, so the first part reads it.
    if (share.part != 0 && !std::filesystem::is_regular_file(file)) {
      graph_input& left = inputs.emplace_back();
      left.name = file.filename();
      left.edges = nothing();
      continue;
    }
    std::unique_ptr<graph_file> opened = open_graph_file(file, options);
    graph_file_info info = opened->info();
    const bool is_divided = share.parts > 1 && opened->keep_share(share);
    std::unique_ptr<edge_source> edges = std::move(opened);
    if (share.parts > 1 && !is_divided && share.part != 0) edges = nothing();
    inputs.push_back({file.filename(), workload::file_fingerprint(file).value_or(""), std::move(info),
                      polled(std::move(edges), poll), is_divided});
  }
  return inputs;
}

graph_input generated_input(const rmat_parameters& parameters, const reading_poll& poll,
                            const source_share& share) {
  return {"R-MAT",
          "rmat " + std::to_string(parameters.scale) + " " + std::to_string(parameters.edge_factor) + " " +
              std::to_string(parameters.seed),
          {},
          polled(std::make_unique<rmat_source>(parameters, std::uint64_t{1} << 14, share), poll)};
}

growth_options growth_for(const std::vector<graph_input>& inputs) {
  growth_options wanted;
  bool agree = true;
  for (const graph_input& one : inputs) {
    wanted.with_weights |= one.info.has_weights;
    wanted.with_times |= one.info.has_times;
    agree &= one.info.kind == inputs.front().info.kind;
  }
  if (agree && !inputs.empty()) wanted.kind_if_new = inputs.front().info.kind.value_or(direction::directed);
  return wanted;
}

void give_directions(std::vector<graph_input>& inputs, direction kind) {
  for (graph_input& one : inputs)
    if (kind == direction::directed && one.info.kind == direction::undirected)
      one.edges = std::make_unique<both_directions_source>(std::move(one.edges));
}

bool joined_inputs::next(edge_batch& batch) {
  batch.clear();
  // A thread that finds the end of one input goes on with the next, while others may still draw from the
  // first.
  for (std::size_t at = at_.load(); at < inputs_.size(); at = at_.load()) {
    try {
      if (inputs_[at].edges->next(batch)) return true;
    } catch (...) {
      at_.store(inputs_.size());  // nobody goes on with the inputs behind
      throw;
    }
    at_.compare_exchange_strong(at, at + 1);
  }
  return false;
}

workload::progress joined_inputs::progress() const noexcept {
  const std::size_t at = at_.load();
  return at < inputs_.size() ? inputs_[at].edges->progress() : workload::progress{};
}

// Files count from 0 or from 1, so none is in between.
id_range joined_inputs::declared_vertices() const noexcept {
  id_range all;
  for (const graph_input& one : inputs_) {
    const id_range more = one.edges->declared_vertices();
    if (more.count == 0) continue;
    if (all.count == 0) all = more;
    const vertex_id last = std::max(all.first + (all.count - 1), more.first + (more.count - 1));
    all.first = std::min(all.first, more.first);
    all.count = last - all.first + 1;
  }
  return all;
}

std::uint64_t joined_inputs::skipped_lines() const noexcept {
  std::uint64_t all = 0;
  for (const graph_input& one : inputs_) all += one.edges->skipped_lines();
  return all;
}

}  // namespace perdure::graph
