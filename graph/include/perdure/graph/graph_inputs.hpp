// Graphs that are read together: opened before a store is changed, with what they have in common.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/graph_objects.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/workload/progress.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// One input, opened.
struct graph_input {
  std::string name;         ///< the file's, without its folder
  std::string fingerprint;  ///< its content's; empty: it cannot be recognised (a pipe)
  graph_file_info info;
  std::unique_ptr<edge_source> edges;
  bool is_divided = false;  ///< each of several parts reads its share of it
};

/// Called after each batch of edges, by the thread that drew it. What it throws ends the reading.
using reading_poll = std::function<void()>;

/// Called where reading begins, with what is read and a function that returns how far it is, for any thread.
/// The object that it returns is destroyed where reading ends; a null pointer will do.
using reading_watch =
    std::function<std::shared_ptr<void>(const std::string& name, std::function<workload::progress()> read)>;

/// Opens all files. Throws what `open_graph_file` throws; nothing is read yet but the heads of the files. Of
/// several parts each has its share of files that `graph_file::keep_share` divides, and the first one all of
/// the others. Pipes, terminals and files that are not there are opened for the first part only.
std::vector<graph_input> open_graph_inputs(const std::vector<std::filesystem::path>& files,
                                           const graph_file_options& options = {},
                                           const reading_poll& poll = {}, const source_share& share = {});
/// Makes an input of an R-MAT graph. Its fingerprint has the parameters.
graph_input generated_input(const rmat_parameters& parameters, const reading_poll& poll = {},
                            const source_share& share = {});

/// Returns what a graph needs for these inputs: weights and times if one of them has some, and as
/// `kind_if_new` their direction if all have the same one.
growth_options growth_for(const std::vector<graph_input>& inputs);
/// Makes inputs without a direction give both arcs of each edge, for a directed graph; a loop once. Changes
/// nothing for an undirected graph.
void give_directions(std::vector<graph_input>& inputs, direction kind);

/// The edges of all inputs, one input after the other. The inputs must outlive it.
class joined_inputs final : public edge_source {
 public:
  explicit joined_inputs(std::vector<graph_input>& inputs) : inputs_(inputs) {}

  bool next(edge_batch& batch) override;
  /// Returns the progress of the input that is being read.
  workload::progress progress() const noexcept override;
  /// Returns the range from the first to the last vertex that an input declares.
  id_range declared_vertices() const noexcept override;
  std::uint64_t skipped_lines() const noexcept override;

 private:
  std::vector<graph_input>& inputs_;
  std::atomic<std::size_t> at_{0};
};

/// Numbers names by those of a graph that is found or made only after its inputs were opened.
class deferred_names final : public vertex_namer {
 public:
  /// `names` are used from now on. They must outlive the reading.
  void keep_in(stored_names* names) noexcept { names_ = names; }
  vertex_id number_of(std::string_view name) override { return names_->add(name); }

 private:
  stored_names* names_ = nullptr;
};

}  // namespace perdure::graph
