// METIS (and Chaco): a line for each vertex with its neighbours, each edge at both its ends.
#pragma once

#include "text_source.hpp"

namespace perdure::graph::formats {

class metis {
 public:
  static constexpr bool in_order = true;  // which vertex a line is for is known by counting

  /// `has_sizes`: whether a first digit of the format says that lines begin with the vertex's size. Some
  /// programs mean something else by it, and write lines that are empty.
  metis(bool has_sizes, bool keeps_attributes)
      : may_have_sizes_(has_sizes), keeps_attributes_(keeps_attributes) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts, flaw& problem);
  std::optional<broken_promise> judge(const line_counts& counts) const;
  id_range declared() const noexcept { return {1, vertices_}; }
  const graph_file_info& info() const noexcept { return info_; }
  const std::vector<std::string>& left_out() const noexcept { return left_out_; }
  std::vector<vertex_attribute> take_attributes() { return std::exchange(attributes_, {}); }

 private:
  bool may_have_sizes_;
  bool keeps_attributes_;
  bool has_header_ = false;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t vertex_values_ = 0;  // numbers before the neighbours
  std::uint64_t at_ = 0;             // the vertex whose line was last
  place vertices_at_;
  place edges_at_;
  graph_file_info info_;
  std::vector<std::string> left_out_;
  std::vector<vertex_attribute> attributes_;  // one for each number before the neighbours
};

}  // namespace perdure::graph::formats
