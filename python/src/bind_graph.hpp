// perdure.graph: graphs of a store, and algorithms on them with results in NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

/// Adds `_graph`, a module with the class `Graph` and functions that make graphs.
void bind_graph(nanobind::module_& module);

}  // namespace perdure::python
