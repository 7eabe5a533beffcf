// Stores attributes of vertices and edges that files have as properties of a graph.
#pragma once

#include <perdure/array_store.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/edge_attribute.hpp>
#include <perdure/graph/vertex_attribute.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Stores attributes of vertices as properties of a CSR (`properties.hpp`). Returns the names of the
/// properties, sorted.
/// - Whole numbers become `int64` if every vertex has one.
/// - Other numbers become `float64`, with NaN for vertices without one.
/// - Texts are empty for vertices without one.
/// - Of several values for the same name and vertex the last one counts. If their types differ, all become
///   texts.
/// - Whole numbers from 2^53 on become texts if some vertices lack the attribute, so that none is rounded.
///
/// Throws `invalid_argument` for a name that an array cannot have, and what `array_store::store` throws.
/// O(values + vertices of the graph).
std::vector<std::string> keep_attributes(array_store& arrays, const std::string& graph, const csr_view& view,
                                         std::span<const vertex_attribute> attributes);

/// Stores attributes of edges like `keep_attributes`, with a value for each arc. Both arcs of an undirected
/// edge have its values. `files` are the edges that the CSR was built of. Weights tell edges with the same
/// ends apart; among those of the same weight, the first arc belongs to the first edge. So where duplicates
/// were dropped, the values are those of the edge with the smallest weight, and of the first among equals.
///
/// Takes 32 bytes of ordinary memory for each arc, and up to 40 more for one attribute at a time. O(values +
/// arcs log arcs).
std::vector<std::string> keep_edge_attributes(array_store& arrays, const std::string& graph,
                                              const csr_view& view, std::span<const attributed_edges> files);

}  // namespace perdure::graph
