// Pajek's networks (`.net`): sections of vertices, and of arcs or edges.
#pragma once

#include <perdure/graph/vertex_namer.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text_source.hpp"

namespace perdure::graph::formats {

/// Returns whether a text is one: its first line that is no comment begins with a star and a letter.
bool is_pajek(std::string_view head);

class pajek {
 public:
  static constexpr bool in_order = true;

  /// Vertices are called by their labels, or without `names` by their numbers.
  pajek(vertex_namer* names, bool keeps_attributes) : names_(names), keeps_attributes_(keeps_attributes) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts, flaw& problem);
  std::optional<broken_promise> judge(const line_counts&) const { return std::nullopt; }
  id_range declared() const noexcept { return names_ == nullptr ? id_range{1, vertices_} : id_range{}; }
  /// Where the header says how many vertices there are.
  const place& declared_at() const noexcept { return vertices_at_; }
  const graph_file_info& info() const noexcept { return info_; }
  /// Where vertices have names: hands those out that are there, once.
  bool take_vertices(std::vector<vertex_id>& to);
  const std::vector<std::string>& left_out() const noexcept { return left_out_; }
  std::vector<vertex_attribute> take_attributes();
  attributed_edges take_edge_attributes() { return std::exchange(edges_, {}); }

 private:
  enum class section { none, vertices, arcs, edges, arc_lists, edge_lists, matrix };

  /// A value that a vertex or an edge has beside.
  struct pair {
    std::string key;
    std::string value;
    bool is_text;
  };

  static bool is_directed(section one) noexcept {
    return one == section::arcs || one == section::arc_lists || one == section::matrix;
  }
  bool begin_section(const char* begin, const line_scanner& scan);
  bool read_vertex(const char* p, const line_scanner& scan);
  /// Returns whether all vertices that must have a label have one.
  bool is_complete(const char* at, const line_scanner& scan) const;
  const char* read_edge(const char* p, const line_scanner& scan, edge_batch& batch, line_counts& counts);
  const char* read_list(const char* p, const line_scanner& scan, edge_batch& batch, line_counts& counts);
  const char* read_row(const char* p, const line_scanner& scan, edge_batch& batch, line_counts& counts);
  /// Reads what a vertex has behind its label. False where the line is malformed.
  bool read_attributes_of(std::uint64_t number, std::string_view label, const char* p,
                          const line_scanner& scan);
  static const char* read_place(const char* p, const line_scanner& scan, std::vector<pair>& to);
  /// Reads pairs of a key and a value of an edge up to the line's end.
  const char* read_pairs(const char* p, const line_scanner& scan);
  /// Notes the edges of a line, the batch's from this one on, with the pairs of the line.
  void keep_edges(const edge_batch& batch, std::size_t from);
  vertex_id called(std::uint64_t number) const;
  void leave_out(const char* what);

  vertex_namer* names_;
  bool keeps_attributes_;
  section now_ = section::none;
  std::uint64_t vertices_ = 0;
  std::string relation_;                      // of the section
  std::optional<std::string> read_relation_;  // of the edges so far
  std::uint64_t row_ = 0;                     // of the matrix
  place vertices_at_;
  graph_file_info info_;
  std::vector<std::string> left_out_;
  std::vector<vertex_attribute> attributes_;  // of vertices by their numbers in the file
  std::vector<pair> pairs_;                   // of the edge
  attributed_edges edges_;
  // Where vertices have names. They are numbered when they are handed out, as the header is read before it is
  // known where names are kept.
  std::unordered_map<std::uint64_t, std::string> labels_;
  std::unordered_set<std::string> taken_;
  std::vector<std::uint64_t> in_order_of_file_;  // those that were not handed out
  std::unordered_map<std::uint64_t, vertex_id> numbers_;
};

}  // namespace perdure::graph::formats
