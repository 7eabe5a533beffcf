// The graph as it stands in a store.
#pragma once

#include <filesystem>
#include <perdure/error.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/manager.hpp>
#include <string>

#include "units.hpp"

namespace perdure::cli {

using stored_graph = graph::adjacency_list<graph::store_containers>;
inline constexpr const char* graph_name = "graph";

/// A store opened for reading, and the graph in it.
struct attached_graph {
  attached_graph(const std::filesystem::path& path, verify_mode verify)
      : store(open_read_only, path, {.verify = verify}) {
    graph = store.find<stored_graph>(graph_name).first;
    seconds = watch.seconds();
    if (graph == nullptr)
      throw error(errc::not_found,
                  path.string() + ": the store holds no graph; make one with 'perdure graph ingest'");
  }

  stopwatch watch;  // before the store: opening counts
  manager store;
  const stored_graph* graph = nullptr;
  double seconds = 0;  ///< to open the store and find the graph
};

inline const char* kind_of(const stored_graph& g) {
  return g.undirected() ? "undirected" : "directed";
}

inline std::string summary_of(const stored_graph& g) {
  return counted(g.vertices(), "vertex", "vertices") + ", " + counted(g.edges(), "edge", "edges") + ", " +
         kind_of(g);
}

}  // namespace perdure::cli
