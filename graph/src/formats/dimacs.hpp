// DIMACS: shortest-path graphs (`p sp`, arcs `a`), and those to be coloured (`p edge`, `p col`, edges `e`).
#pragma once

#include "text_source.hpp"

namespace perdure::graph::formats {

class dimacs {
 public:
  static constexpr bool in_order = false;

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                    flaw& problem) const;
  std::optional<broken_promise> judge(const line_counts& counts) const;
  id_range declared() const noexcept { return {1, vertices_}; }
  /// Where the header says how many vertices there are.
  const place& declared_at() const noexcept { return vertices_at_; }
  const graph_file_info& info() const noexcept { return info_; }

 private:
  bool has_problem_line_ = false;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  place vertices_at_;
  place count_at_;
  graph_file_info info_;
};

}  // namespace perdure::graph::formats
