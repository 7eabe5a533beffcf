// Types and names of the objects that make up a graph in a store.
#pragma once

#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/csr_delta.hpp>
#include <perdure/graph/csr_patch.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_names.hpp>

namespace perdure::graph {

/// The adjacency list of a growing graph. The object has the graph's name; the other objects of the graph
/// have the same name and a suffix.
using stored_list = adjacency_list<store_containers>;
using stored_column = edge_column<store_containers>;  ///< weights or times of edges
using stored_names = vertex_names<>;                  ///< names of vertices
using stored_patch = csr_patch<>;                     ///< additions to the frozen form, as neighbour lists
using stored_delta = csr_delta<>;                     ///< additions to both, as edges

/// Name of the graph where the caller gives none.
inline constexpr const char* default_graph_name = "graph";

inline constexpr const char* weights_suffix = ".weights";          ///< a `stored_column`
inline constexpr const char* times_suffix = ".times";              ///< a `stored_column`
inline constexpr const char* names_suffix = ".names";              ///< a `stored_names`
inline constexpr const char* frozen_suffix = ".csr";               ///< the frozen form: a `stored_csr`
inline constexpr const char* patch_suffix = ".csr.patch";          ///< a `stored_patch` to it
inline constexpr const char* delta_suffix = ".csr.delta";          ///< a `stored_delta` to both
inline constexpr const char* build_suffix = ".build";              ///< a `stored_csr_build` that is under way
inline constexpr const char* ordering_suffix = ".build.ordering";  ///< a `stored_degree_ordering` after it

}  // namespace perdure::graph
