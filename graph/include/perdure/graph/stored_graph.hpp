// Graphs as they stand in a store.
#pragma once

#include <filesystem>
#include <optional>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/csr_delta.hpp>
#include <perdure/graph/csr_patch.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/patched_csr.hpp>
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
/// What `perdure graph freeze` makes of an adjacency list: a CSR, what later calls add to it, and what the
/// list got since the last one.
using stored_patch = graph::csr_patch<>;
using stored_delta = graph::csr_delta<>;
inline constexpr const char* frozen_suffix = ".csr";
inline constexpr const char* patch_suffix = ".csr.patch";
inline constexpr const char* delta_suffix = ".csr.delta";

/// The three, or null pointers. Stores frozen before there were patches have none, and are stale.
struct frozen_parts {
  const graph::stored_csr* csr = nullptr;
  const stored_patch* patch = nullptr;
  const stored_delta* delta = nullptr;

  bool are_there() const noexcept { return csr != nullptr && delta != nullptr; }
  /// Whether together they are the list as it is now.
  bool are_fresh(const stored_graph& list, const stored_column* weights) const;
};

/// Either kind of graph.
using any_graph = std::variant<const stored_graph*, const graph::stored_csr*>;

/// A graph as rows.
using row_view = std::variant<graph::csr_view, graph::patched_csr_view>;

/// A store opened for reading, and a graph in it.
struct attached_graph {
  /// The graph as rows: a CSR, or the CSR of a list that is fresh, with what was added since. Nothing where
  /// there is only the list.
  std::optional<row_view> rows();
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
  const stored_column* weights = nullptr;  ///< of an adjacency list, or null
  const stored_names* names = nullptr;     ///< null: vertices are called by their ids
  frozen_parts frozen;                     ///< of an adjacency list
  double seconds = 0;                      ///< to open the store and find the graph

 private:
  std::optional<graph::patched_csr> patched_;
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
