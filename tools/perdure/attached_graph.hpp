// An open store, and a graph in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <string>

#include "units.hpp"

namespace perdure::cli {

/// Says whether the store is opened to be written to.
enum class attached_for { reading, writing };

struct attached_graph {
  /// Opens the store and finds the graph of this name, or chooses as `stored_graph` does. `STORE@LABEL` is
  /// the store as of its last kept checkpoint of that label, and can only be read.
  attached_graph(const std::filesystem::path& path, const std::string& wanted, const store_options& settings,
                 attached_for use = attached_for::reading);

  stopwatch watch;  // before the store: opening counts
  manager store;
  graph::stored_graph graph;
  double seconds = 0;  ///< to open the store and find the graph
};

/// "5 vertices, 4 edges, directed"
std::string summary_of(std::uint64_t vertices, std::uint64_t edges, bool undirected);

}  // namespace perdure::cli
