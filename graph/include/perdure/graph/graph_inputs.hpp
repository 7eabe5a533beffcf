// Graphs that are read together: all are opened before a store is changed.
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

/// An open input.
struct graph_input {
  std::string name;         ///< name of the file, without its folder
  std::string fingerprint;  ///< fingerprint of the content; empty: the input cannot be recognised (a pipe)
  graph_file_info info;     ///< declarations of the file
  std::unique_ptr<edge_source> edges;  ///< the edges
  bool is_divided = false;             ///< each of several parts reads its share of this input
};

/// Called after each batch of edges, by the thread that drew it. Its exceptions end the reading.
using reading_poll = std::function<void()>;

/// Called where reading begins, with the name of what is read and a function that returns the progress, for
/// any thread. The returned object is destroyed where reading ends; it may be null.
using reading_watch =
    std::function<std::shared_ptr<void>(const std::string& name, std::function<workload::progress()> read)>;

/// Opens all files and reads only their heads. Throws what `open_graph_file` throws. With several parts, each
/// part gets its share of the files that `graph_file::keep_share` divides; the first part gets all other
/// files. Pipes, terminals and files that do not exist are opened for the first part only.
std::vector<graph_input> open_graph_inputs(const std::vector<std::filesystem::path>& files,
                                           const graph_file_options& options = {},
                                           const reading_poll& poll = {}, const source_share& share = {});
/// Makes an input of an R-MAT graph. Its fingerprint contains the parameters. Throws `invalid_argument` for
/// parameters out of range.
graph_input generated_input(const rmat_parameters& parameters, const reading_poll& poll = {},
                            const source_share& share = {});

/// Returns the requirements of these inputs on a graph: weights and times if one of them has some, and in
/// `kind_if_new` their direction if all have the same one.
growth_options growth_for(const std::vector<graph_input>& inputs);
/// Makes inputs without a direction hand out both arcs of each edge, for a directed graph; a loop once.
/// Changes nothing for an undirected graph.
void give_directions(std::vector<graph_input>& inputs, direction kind);

/// The edges of all inputs, one input after the other. The inputs must outlive it.
///
/// Thread safety: like every `edge_source`.
class joined_inputs final : public edge_source {
 public:
  /// Reads from `inputs`.
  explicit joined_inputs(std::vector<graph_input>& inputs) : inputs_(inputs) {}

  /// Replaces the content of `batch` by the next edges. Returns false at the end of the last input. Throws
  /// what the inputs throw.
  bool next(edge_batch& batch) override;
  /// Returns the progress of the input that is being read.
  workload::progress progress() const noexcept override;
  /// Returns the range from the first to the last vertex that an input declares.
  id_range declared_vertices() const noexcept override;
  /// Returns the number of malformed lines that all inputs have left out.
  std::uint64_t skipped_lines() const noexcept override;

 private:
  std::vector<graph_input>& inputs_;
  std::atomic<std::size_t> at_{0};
};

/// Assigns numbers to names by the names of a graph that is found or made only after its inputs were opened.
class deferred_names final : public vertex_namer {
 public:
  /// Uses `names` from now on. They must outlive the reading.
  void keep_in(stored_names* names) noexcept { names_ = names; }
  /// Returns the number of a name, a new one if there is none yet. `keep_in` must have been called. Throws
  /// `std::bad_alloc`.
  vertex_id number_of(std::string_view name) override { return names_->add(name); }

 private:
  stored_names* names_ = nullptr;
};

}  // namespace perdure::graph
