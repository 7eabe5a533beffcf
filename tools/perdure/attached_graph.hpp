// An open store, and a graph in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>
#include <string>

#include "units.hpp"

namespace perdure::cli {

/// Says whether the store is opened to be written to.
enum class attached_for { reading, writing };

class attached_graph {
 public:
  /// Opens the store and finds the graph of this name, or chooses as `stored_graph` does. `STORE@LABEL` is
  /// the store as of its last kept checkpoint of that label, and can only be read. Of a set of stores it
  /// reads the graph of ranks, which takes memory for all of it.
  attached_graph(const std::filesystem::path& path, const std::string& wanted, const store_options& settings,
                 attached_for use = attached_for::reading);

  const graph::stored_graph& graph() const noexcept { return *graph_; }
  /// Throws `unsupported` for a set of stores.
  manager& store();
  /// The arrays of the store, or of the set.
  array_store arrays() const;
  std::uint64_t epoch() const;
  bool is_set() const noexcept { return set_.has_value(); }
  /// Time to open the store and find the graph.
  double seconds() const noexcept { return seconds_; }

 private:
  stopwatch watch_;  // before the store: opening counts
  std::optional<manager> store_;
  std::optional<set_reader> set_;  // instead
  std::optional<graph::stored_graph> graph_;
  double seconds_ = 0;
};

/// "5 vertices, 4 edges, directed"
std::string summary_of(std::uint64_t vertices, std::uint64_t edges, bool undirected);

}  // namespace perdure::cli
