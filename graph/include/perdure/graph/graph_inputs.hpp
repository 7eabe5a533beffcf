// Files of graphs as commands take them: opened before anything is changed, and drawn from until a signal
// comes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "growing_graph.hpp"
#include "interruption.hpp"

namespace perdure::cli {

/// The numbers of names, once there is something to keep them in.
class late_names final : public graph::vertex_namer {
 public:
  void keep_in(stored_names* names) noexcept { names_ = names; }
  graph::vertex_id number_of(std::string_view name) override { return names_->add(name); }

 private:
  stored_names* names_ = nullptr;
};

/// One input, opened.
struct graph_input {
  std::string name;
  std::string fingerprint;  ///< empty of what is no regular file
  graph::graph_file_info info;
  std::unique_ptr<graph::edge_source> edges;
};

/// The edges of `source`, until a signal comes; what is thrown then is not seen: who catches it asks for the
/// signal.
std::unique_ptr<graph::edge_source> interruptible(std::unique_ptr<graph::edge_source> source);
/// The same edges, each in both directions too, a loop once.
std::unique_ptr<graph::edge_source> in_both_directions(std::unique_ptr<graph::edge_source> source);

/// Throws what opening throws.
std::vector<graph_input> open_inputs(const std::vector<std::filesystem::path>& files,
                                     graph::graph_file_options options,
                                     const interruption_watch& interruption);

/// What the inputs have: weights and times if one of them has, a direction if all agree.
growth_wanted growth_of(const std::vector<graph_input>& inputs);

/// Edges of files that have no direction go into a directed graph as two arcs.
void give_directions(std::vector<graph_input>& inputs, graph::direction kind);

/// "a.mtx  Matrix Market, real, symmetric", and on the error stream which columns are left out.
json what_was_read(const graph_input& input);
void tell_ignored_columns(const graph_input& input);

}  // namespace perdure::cli
