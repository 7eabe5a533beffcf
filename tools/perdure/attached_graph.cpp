#include "attached_graph.hpp"

#include <perdure/error.hpp>

namespace perdure::cli {
namespace {

graph::stored_graph graph_in(const manager& store, const std::string& wanted) {
  try {
    return graph::stored_graph(store, wanted);
  } catch (const error& failure) {
    if (!wanted.empty() || failure.code() != errc::invalid_argument) throw;
    throw error(failure.code(), std::string(failure.what()) + " with --graph");
  }
}

}  // namespace

attached_graph::attached_graph(const std::filesystem::path& path, const std::string& wanted,
                               const store_options& settings, attached_for use)
    : store(use == attached_for::reading ? manager(open_read_only, path, settings)
                                         : manager(open_only, path, settings)),
      graph(graph_in(store, wanted)),
      seconds(watch.seconds()) {}

std::string summary_of(std::uint64_t vertices, std::uint64_t edges, bool undirected) {
  return counted(vertices, "vertex", "vertices") + ", " + counted(edges, "edge", "edges") + ", " +
         (undirected ? "undirected" : "directed");
}

}  // namespace perdure::cli
