// Matrix Market's dense form: all values of a square matrix, column by column, of which those that are not 0
// are edges.
#pragma once

#include "matrix_banner.hpp"
#include "text_source.hpp"

namespace perdure::graph::formats {

/// Returns whether a Matrix Market file has this form.
bool is_dense_matrix(std::string_view head);

class dense_matrix {
 public:
  static constexpr bool in_order = true;  // a value's place is that of its line

  explicit dense_matrix(complex_part part) : part_(part) {}

  bool head(const char* begin, const char* feed, std::uint64_t number, flaw& problem);
  const char* parse(const char* p, const char* end, edge_batch& batch, line_counts& counts, flaw& problem);
  std::optional<broken_promise> judge(const line_counts& counts) const;
  id_range declared() const noexcept { return {1, size_}; }
  const graph_file_info& info() const noexcept { return banner_.info; }

 private:
  void next_place() noexcept;

  complex_part part_;
  matrix_banner banner_;
  bool has_banner_ = false;
  bool has_sizes_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t values_ = 0;  // in the file
  place sizes_at_;
  std::uint64_t row_ = 1;  // of the next value
  std::uint64_t column_ = 1;
};

}  // namespace perdure::graph::formats
