// Attributes of vertices that files have, as properties of a graph.
#pragma once

#include <perdure/array_store.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/vertex_attribute.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Keeps attributes as properties of a CSR (`properties.hpp`): whole numbers as `int64` if every vertex has
/// one, other numbers as `float64` with NaN where there is none, texts as texts that are empty where there is
/// none. Of several of the same name and vertex the last counts; of different types, all are texts. Whole
/// numbers from 2^53 on that some vertices lack are texts too, so that none is rounded. Returns the
/// properties' names, sorted.
///
/// Throws `invalid_argument` for a name that no array can have, and as `array_store::store`. O(values +
/// vertices of the graph).
std::vector<std::string> keep_attributes(array_store& arrays, const std::string& graph, const csr_view& view,
                                         std::span<const vertex_attribute> attributes);

}  // namespace perdure::graph
