#include "attached_graph.hpp"

#include <perdure/error.hpp>

namespace perdure::cli {
namespace {

template <class Place>
graph::stored_graph graph_in(const Place& place, const std::string& wanted) {
  try {
    return graph::stored_graph(place, wanted);
  } catch (const error& failure) {
    if (!wanted.empty() || failure.code() != errc::invalid_argument) throw;
    throw error(failure.code(), std::string(failure.what()) + " with --graph");
  }
}

}  // namespace

attached_graph::attached_graph(const std::filesystem::path& path, const std::string& wanted,
                               const store_options& settings, attached_for use) {
  if (perdure::is_set(path)) {
    if (use == attached_for::writing)
      throw error(errc::unsupported,
                  path.string() +
                      " is a set of stores, in which its ranks keep values: start the same "
                      "command of perdure-mpi by as many ranks");
    if (settings.memory_budget != 0)
      throw error(errc::unsupported,
                  path.string() +
                      " is a set of stores, whose graph is read into memory: leave --budget "
                      "out");
    set_.emplace(resolve_set_name(path), settings);
    graph_.emplace(graph_in(*set_, wanted));
  } else {
    store_.emplace(use == attached_for::reading ? manager(open_read_only, path, settings)
                                                : manager(open_only, path, settings));
    graph_.emplace(graph_in(*store_, wanted));
  }
  seconds_ = watch_.seconds();
}

manager& attached_graph::store() {
  if (!store_) throw error(errc::unsupported, set_->path().string() + " is a set of stores");
  return *store_;
}

array_store attached_graph::arrays() const {
  // The store is not const: what is in it may be, as the arrays of a store that is open for reading are.
  return store_ ? array_store(const_cast<manager&>(*store_)) : set_->arrays();
}

std::uint64_t attached_graph::epoch() const {
  return store_ ? store_->store().epoch() : set_->epoch();
}

std::string summary_of(std::uint64_t vertices, std::uint64_t edges, bool undirected) {
  return counted(vertices, "vertex", "vertices") + ", " + counted(edges, "edge", "edges") + ", " +
         (undirected ? "undirected" : "directed");
}

}  // namespace perdure::cli
