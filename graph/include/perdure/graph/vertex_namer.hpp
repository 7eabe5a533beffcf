// Assigns numbers to vertices that the input calls by names.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <string_view>

namespace perdure::graph {

/// A function object that returns the number of each name in the input. A reader calls it in the order of the
/// input, from one thread at a time.
class vertex_namer {
 public:
  vertex_namer() = default;
  vertex_namer(const vertex_namer&) = delete;
  vertex_namer& operator=(const vertex_namer&) = delete;
  virtual ~vertex_namer() = default;

  /// Returns the number of a name, always the same one. Throws `std::bad_alloc`.
  virtual vertex_id number_of(std::string_view name) = 0;
};

}  // namespace perdure::graph
