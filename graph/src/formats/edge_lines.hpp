// Edge lists without a header: two ids a line, and further columns.
#pragma once

#include "text_source.hpp"

namespace perdure::graph::formats {

/// Columns count from 1, so the first behind the ids is 3; 0: none.
struct kept_columns {
  unsigned weight = 0;
  unsigned time = 0;
  time_form form = time_form::numbers_or_dates;
  /// Number of vertices on the left of a bipartite graph, whose two sides both count from 1. Those on the
  /// right follow them. 0: the graph is none.
  std::uint64_t left = 0;
};

class edge_lines {
 public:
  static constexpr bool in_order = false;
  static constexpr bool lines_stand_alone = true;

  edge_lines(const kept_columns& kept, graph_file_info info) : kept_(kept), info_(std::move(info)) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts, flaw& problem);
  static std::optional<broken_promise> judge(const line_counts&) { return std::nullopt; }
  static id_range declared() noexcept { return {}; }
  const graph_file_info& info() const noexcept { return info_; }

 private:
  struct values {
    double weight = 0;
    double time = 0;
  };

  /// `has_commas`: between the ids, so that commas part further columns too.
  const char* further_columns(const char* p, const char* end, bool has_commas, values& found,
                              line_counts& counts, flaw& problem) const;

  /// Gives the vertex on the right a number behind those on the left.
  bool part_sides(const char* begin, edge& e, flaw& problem) const;

  kept_columns kept_;
  graph_file_info info_;
};

}  // namespace perdure::graph::formats
