// The parts of a search that do not depend on the type of the graph.
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/neighbourhood.hpp>
#include <string>

namespace perdure::graph::detail {

void require_bfs_arguments(std::size_t vertices, vertex_handle source, const bfs_arrays& arrays) {
  require_vertex(vertices, source);
  const auto is_short = [vertices](std::size_t length) { return length != 0 && length < vertices; };
  if (is_short(arrays.levels.size()) || is_short(arrays.parents.size()) ||
      arrays.scratch.size() < bfs_arrays::scratch_bytes(vertices))
    throw error(errc::invalid_argument, "an array of the search is shorter than the graph's " +
                                            std::to_string(vertices) + " vertices need");
  if (reinterpret_cast<std::uintptr_t>(arrays.scratch.data()) % alignof(std::uint64_t) != 0)
    throw error(errc::invalid_argument, "the scratch memory of the search does not begin at a multiple of 8");
}

}  // namespace perdure::graph::detail
