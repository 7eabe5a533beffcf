// The objects that a graph in a store consists of, and their names.
#pragma once

#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/csr_delta.hpp>
#include <perdure/graph/csr_patch.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_names.hpp>

namespace perdure::graph {

/// A growing graph is an adjacency list. The object has the graph's name; the other objects of the graph have
/// the same name and a suffix.
using stored_list = adjacency_list<store_containers>;
using stored_column = edge_column<store_containers>;
using stored_names = vertex_names<>;
using stored_patch = csr_patch<>;
using stored_delta = csr_delta<>;

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
