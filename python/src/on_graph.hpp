// Runs an algorithm on a graph of Python.
#pragma once

#include <perdure/error.hpp>
#include <string>

#include "graph_handle.hpp"
#include "interruptible.hpp"

namespace perdure::python {

/// Calls `kernel(view)` without the GIL with a view of the graph, whichever kind it is, and returns its
/// result. Ctrl-C ends it.
template <class Kernel>
auto on_graph(const graph_handle& graph, unsigned threads, Kernel&& kernel) {
  return interruptible(
      [&] { return graph.find(threads)->view.visit([&](const auto& view) { return kernel(view); }); });
}

}  // namespace perdure::python
