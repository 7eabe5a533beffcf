// Nodes and edges of formats that list nodes by their ids before the edges between them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/edge_attribute.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/vertex_attribute.hpp>
#include <perdure/graph/vertex_namer.hpp>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace perdure::graph::formats {

/// Says whether edges may name nodes that are listed behind them.
enum class order_of_nodes { before_edges, anywhere };

/// Where something is in a file, from 1.
struct file_place {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
  auto operator<=>(const file_place&) const = default;
};

/// Numbers names only when it hands something out: a file's header is read before it is known where they are
/// kept.
class listed_elements {
 public:
  /// Vertices are called by the nodes' names, or without `names` by their ids, which are numbers then, as
  /// `17` or `n17`. Where edges may come first, nodes' names are their ids. Edges are noted for
  /// `take_attributed_edges` if the options keep attributes.
  listed_elements(const graph_file_options& options, order_of_nodes order) noexcept
      : names_(options.names), keeps_edges_(options.keep_attributes), order_(order) {}
  listed_elements(const listed_elements&) = delete;
  listed_elements& operator=(const listed_elements&) = delete;
  virtual ~listed_elements() = default;

  /// Enters a node. Throws for one that is there already.
  void node(std::string_view id, std::string_view name);
  /// Enters an edge. Throws where one of its ends is no node before it and must be.
  void edge(std::string_view source, std::string_view target, std::optional<double> weight,
            std::optional<double> time);
  /// Notes a value of a node that was entered.
  void attribute(std::string_view node, std::string_view name, std::string_view value, bool is_text);
  /// Notes a value of the edge that was entered last. Only where attributes are kept.
  void edge_attribute(std::string_view name, std::string_view value, bool is_text);
  /// Notes the name of something that is not kept.
  void leave_out(std::string_view name);
  /// Throws an error with the place where the file is being read.
  [[noreturn]] void refuse(const std::string& what) const { throw error_at(where(), what); }
  /// Reads a number of the file. Refuses what is none.
  double number(std::string_view text, const char* what) const;

 protected:
  bool has_names() const noexcept { return names_ != nullptr; }
  const std::vector<std::string>& names_left_out() const noexcept { return left_out_; }
  bool has_edges() const noexcept { return !edges_.empty(); }
  /// Number of nodes and edges that were not handed out.
  std::size_t waiting() const noexcept { return nodes_.size() + edges_.size(); }
  /// Moves out what was noted of nodes, all of which were handed out.
  std::vector<vertex_attribute> take_attributes();
  /// Moves out the edges that were handed out, and what was noted of them.
  attributed_edges take_attributed_edges();
  /// Moves them into an empty batch.
  void hand_out(edge_batch& batch);
  /// Throws where an edge has named a node that is nowhere. To be called at the file's end.
  void require_all_nodes() const;
  /// Where the file is being read.
  virtual file_place where() const = 0;
  virtual workload::line_error error_at(file_place place, const std::string& what) const = 0;

 private:
  struct listed_node {
    vertex_id* number;
    std::string name;
  };
  struct listed_attribute {
    vertex_attribute kept;
    std::vector<const vertex_id*> nodes;
  };
  struct listed_edge {
    const vertex_id* source;
    const vertex_id* target;
  };

  void enter(std::string_view id, std::string_view name);
  const vertex_id* known(std::string_view id);
  vertex_id number_in(std::string_view id) const;

  vertex_namer* names_;
  bool keeps_edges_;
  order_of_nodes order_;
  std::unordered_map<std::string, file_place> missing_;  // nodes that edges have named, and where
  std::unordered_map<std::string, vertex_id> numbers_;   // by id; of names not before they are handed out
  std::unordered_set<std::string> taken_names_;
  std::unordered_set<vertex_id> taken_;
  std::vector<listed_node> nodes_;
  std::vector<listed_edge> edges_;
  std::vector<double> values_;
  std::vector<double> times_;
  std::vector<listed_attribute> attributes_;
  std::uint64_t entered_edges_ = 0;
  attributed_edges kept_edges_;  // the edges that were handed out; attributes of all
  std::vector<std::string> left_out_;
};

}  // namespace perdure::graph::formats
