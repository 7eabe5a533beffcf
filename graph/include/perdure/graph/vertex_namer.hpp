// Numbers for vertices whose input calls them by names.
#pragma once

#include <perdure/graph/vertex.hpp>
#include <string_view>

namespace perdure::graph {

/// What a reader asks for the number of each name that it meets, in the order of the input, by one thread at
/// a time.
class vertex_namer {
 public:
  vertex_namer() = default;
  vertex_namer(const vertex_namer&) = delete;
  vertex_namer& operator=(const vertex_namer&) = delete;
  virtual ~vertex_namer() = default;

  /// The same for the same name. Throws `std::bad_alloc`.
  virtual vertex_id number_of(std::string_view name) = 0;
};

}  // namespace perdure::graph
