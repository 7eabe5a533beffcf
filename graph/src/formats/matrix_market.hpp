// Matrix Market's coordinate format: entries of a square matrix, of which the first index is where an edge
// begins.
#pragma once

#include "matrix_banner.hpp"
#include "text_source.hpp"

namespace perdure::graph::formats {

class matrix_market {
 public:
  static constexpr bool in_order = false;

  explicit matrix_market(complex_part part) : part_(part) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts,
                    flaw& problem) const;
  std::optional<broken_promise> judge(const line_counts& counts) const;
  id_range declared() const noexcept { return {1, vertices_}; }
  /// Where the header says how many vertices there are.
  const place& declared_at() const noexcept { return vertices_at_; }
  const graph_file_info& info() const noexcept { return banner_.info; }

 private:
  void sizes(const char* begin, const char* feed, std::uint64_t number, flaw& problem);

  complex_part part_;
  matrix_banner banner_;
  bool has_banner_ = false;
  bool has_sizes_ = false;
  std::uint64_t vertices_ = 0;
  std::uint64_t entries_ = 0;
  place vertices_at_;
  place count_at_;
};

}  // namespace perdure::graph::formats
