// Graphs as they stand in a store.
#pragma once

#include <filesystem>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <variant>

#include "units.hpp"

namespace perdure::cli {

/// What `perdure graph ingest` makes, under this name.
using stored_graph = graph::adjacency_list<graph::store_containers>;
inline constexpr const char* graph_name = "graph";

/// Either kind of graph.
using any_graph = std::variant<const stored_graph*, const graph::stored_csr*>;

/// A store opened for reading, and a graph in it.
struct attached_graph {
  /// Of this name; where that is empty, the graph that `ingest` makes, or else the only one there. Throws
  /// `not_found`, `wrong_type` where the name is something else's, or `invalid_argument` where it is not
  /// clear which.
  attached_graph(const std::filesystem::path& path, const std::string& wanted, const store_options& settings);

  stopwatch watch;  // before the store: opening counts
  manager store;
  std::string name;
  any_graph graph;
  double seconds = 0;  ///< to open the store and find the graph
};

template <class Graph>
const char* kind_of(const Graph& g) {
  return g.undirected() ? "undirected" : "directed";
}

template <class Graph>
std::string summary_of(const Graph& g) {
  return counted(g.vertices(), "vertex", "vertices") + ", " + counted(g.edges(), "edge", "edges") + ", " +
         kind_of(g);
}

}  // namespace perdure::cli
