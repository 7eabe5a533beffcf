// The banner of both forms of Matrix Market, and how values become weights.
#pragma once

#include <perdure/graph/graph_file.hpp>
#include <string_view>

#include "line_scan.hpp"

namespace perdure::graph::formats {

/// The first line of a Matrix Market file.
struct matrix_banner {
  enum class field { pattern, integer, real, complex };
  enum class symmetry { general, symmetric, skew, hermitian };

  bool is_dense = false;  ///< "array": all values, column by column
  field values = field::real;
  symmetry form = symmetry::general;
  graph_file_info info;

  /// Half of a matrix that is no undirected graph: the other half is there with other values.
  bool has_mirrored_arcs() const noexcept {
    return form != symmetry::general && info.kind == direction::directed;
  }
};

/// Returns whether a text begins with the banner's first word, whatever the case. Blanks may stand before it,
/// and one of its two percent signs may be missing, as in files of the Network Repository.
bool has_matrix_banner(std::string_view text) noexcept;

/// Reads it. `problem` says what is wrong with a line, if something is.
void read_banner(const char* begin, const char* feed, complex_part part, matrix_banner& banner,
                 flaw& problem);

/// A weight, and that of the arc back.
struct matrix_value {
  double value = 0;
  double mirrored = 0;
};

/// Adds an entry of a matrix, and the arc back where the banner has such.
void add_entry(const edge& e, const matrix_value& found, const matrix_banner& banner, edge_batch& batch);

/// Reads what follows an entry's indices, or all of it where the matrix is dense, up to the line's end. Null:
/// malformed.
const char* read_value(const char* p, const line_scanner& scan, const matrix_banner& banner,
                       complex_part part, matrix_value& found);

}  // namespace perdure::graph::formats
