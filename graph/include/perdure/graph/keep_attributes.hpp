// Attributes of vertices and edges that files have, as properties of a graph.
#pragma once

#include <perdure/array_store.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/edge_attribute.hpp>
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

/// The same of edges, with a value for each arc: both arcs of an undirected edge have its values. `files` are
/// the edges of which the CSR was built. Edges with the same ends are told apart by their weights; of those
/// with the same weight, the first arc is that of the first edge. So where duplicates were dropped, the
/// values are those of the edge with the smallest weight, and of several of these of the first one.
///
/// Takes 32 bytes of ordinary memory for each arc, and up to 40 more for one attribute at a time.
/// O(values + arcs log arcs).
std::vector<std::string> keep_edge_attributes(array_store& arrays, const std::string& graph,
                                              const csr_view& view, std::span<const attributed_edges> files);

}  // namespace perdure::graph
