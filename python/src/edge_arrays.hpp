// Edges in arrays of Python.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/graph/graph_inputs.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::python {

/// Arrays with an element for each edge. They must outlive the reading.
struct edge_arrays {
  std::span<const std::uint64_t> sources;
  std::span<const std::uint64_t> targets;
  std::span<const double> weights = {};  ///< empty: edges have none
  std::span<const double> times = {};    ///< empty: edges have none
  std::uint64_t vertices = 0;            ///< so many vertices, from 0 on, need no edge
  /// Empty, or names, of which `sources` and `targets` have the places.
  std::vector<std::string> names = {};
};

/// Makes an input of the arrays, without a fingerprint. `names` numbers the names, if there are any. Throws
/// `invalid_argument` where arrays differ in length, and for a weight or time that is not finite.
graph::graph_input input_of_arrays(edge_arrays arrays, graph::direction kind,
                                   graph::vertex_namer* names = nullptr);

}  // namespace perdure::python
