// Algorithms as methods of Python's graphs.
#pragma once

#include <nanobind/nanobind.h>

#include "graph_handle.hpp"

namespace perdure::python {

/// Adds algorithms that follow paths: bfs, sssp, shortest_path, neighbourhood, betweenness.
void bind_graph_paths(nanobind::class_<graph_handle>& graphs);
/// Adds algorithms that find parts and rank vertices: components, communities, cores, trusses, pagerank.
void bind_graph_parts(nanobind::class_<graph_handle>& graphs);

}  // namespace perdure::python
