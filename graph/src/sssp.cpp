// The parts of finding shortest paths and neighbours that do not depend on the type of the graph.
#include <perdure/error.hpp>
#include <perdure/graph/neighbourhood.hpp>
#include <perdure/graph/shortest_path.hpp>
#include <perdure/graph/sssp.hpp>
#include <string>

namespace perdure::graph::detail {

void throw_bad_weight(double weight) {
  throw error(errc::invalid_argument,
              "shortest paths need weights that are 0 or more, and an arc weighs " + std::to_string(weight));
}

void throw_too_far() {
  throw error(
      errc::invalid_argument,
      "a distance is more than 1.8e308, the largest number of 64 bits: divide the weights by a constant");
}

void require_vertex(std::size_t vertices, vertex_handle v) {
  if (v < vertices) return;
  throw error(errc::not_found, v == no_vertex
                                   ? std::string("the vertex to start from is not in the graph")
                                   : "vertex number " + std::to_string(v) + " is not in the graph");
}

void require_ends_of_path(std::size_t vertices, vertex_handle from, vertex_handle to) {
  require_vertex(vertices, from);
  require_vertex(vertices, to);
}

void require_sssp_arguments(std::size_t vertices, vertex_handle source, double delta) {
  require_vertex(vertices, source);
  if (!(delta >= 0)) throw error(errc::invalid_argument, "the width of a step (delta) must be more than 0");
}

}  // namespace perdure::graph::detail
