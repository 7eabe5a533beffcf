// Graphs as they stand in a store.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/freeze.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_names.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <variant>

#include "units.hpp"

namespace perdure::cli {

/// What `perdure graph ingest` makes, under this name.
using stored_graph = graph::adjacency_list<graph::store_containers>;
inline constexpr const char* graph_name = "graph";

/// What belongs to an adjacency list has its name, and one of these behind it.
using stored_column = graph::edge_column<graph::store_containers>;
using stored_names = graph::vertex_names<>;
inline constexpr const char* weights_suffix = ".weights";
inline constexpr const char* times_suffix = ".times";
inline constexpr const char* names_suffix = ".names";
/// What `perdure graph freeze` makes of an adjacency list: a CSR, and what the list got since.
using stored_delta = graph::csr_delta<>;
inline constexpr const char* frozen_suffix = ".csr";
inline constexpr const char* delta_suffix = ".csr.delta";

/// Whether a list's CSR, with its delta, is the list as it is now.
bool is_fresh(const stored_graph& list, const graph::stored_csr* frozen, const stored_delta* delta,
              const stored_column* weights);

/// Either kind of graph.
using any_graph = std::variant<const stored_graph*, const graph::stored_csr*>;

/// A store opened for reading, and a graph in it.
struct attached_graph {
  /// The graph as rows: a CSR, or the CSR of a list that is fresh, with what the list got since in ordinary
  /// memory. Nothing where there is only the list.
  std::optional<graph::csr_view> rows(unsigned threads);
  /// "fresh" or "stale", of a list that was frozen; else null.
  const char* frozen_state() const;
  /// What the vertex is called: its name where vertices have names, else its id.
  std::string name_of(graph::vertex_id id) const;

  /// Of this name; where that is empty, the graph that `ingest` makes, or else the only one there. Throws
  /// `not_found`, `wrong_type` where the name is something else's, or `invalid_argument` where it is not
  /// clear which. `STORE@LABEL` is the store as of its last kept checkpoint of that label.
  attached_graph(const std::filesystem::path& path, const std::string& wanted, const store_options& settings);

  stopwatch watch;  // before the store: opening counts
  manager store;
  std::string name;
  any_graph graph;
  const stored_column* weights = nullptr;     ///< of an adjacency list, or null
  const stored_names* names = nullptr;        ///< null: vertices are called by their ids
  const graph::stored_csr* frozen = nullptr;  ///< of an adjacency list, or null
  const stored_delta* delta = nullptr;
  double seconds = 0;  ///< to open the store and find the graph

 private:
  std::unique_ptr<graph::memory_csr> merged_;
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
