// Nodes and edges of formats that list nodes by their ids before the edges between them.
#pragma once

#include <optional>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/vertex_namer.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace perdure::graph::formats {

class listed_elements {
 public:
  /// Vertices are called by the nodes' names, or without `names` by their ids, which are numbers then, as
  /// `17` or `n17`.
  explicit listed_elements(vertex_namer* names) noexcept : names_(names) {}
  virtual ~listed_elements() = default;

  /// Enters a node. Throws for one that is there already.
  void node(std::string_view id, std::string_view name);
  /// Hands an edge out. Throws where one of its ends is no node before it.
  void edge(std::string_view source, std::string_view target, std::optional<double> weight,
            std::optional<double> time);
  /// Throws an error with the place in the file.
  [[noreturn]] virtual void refuse(const std::string& what) const = 0;
  /// Reads a number of the file. Refuses what is none.
  double number(std::string_view text, const char* what) const;

 protected:
  bool has_names() const noexcept { return names_ != nullptr; }

  edge_batch waiting_;  ///< nodes and edges that were handed out

 private:
  vertex_id known(std::string_view id) const;
  vertex_id number_of(std::string_view name);

  vertex_namer* names_;
  std::unordered_map<std::string, vertex_id> numbers_;
  std::unordered_set<vertex_id> taken_;
};

}  // namespace perdure::graph::formats
