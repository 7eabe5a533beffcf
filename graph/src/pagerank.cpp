// The parts of PageRank that do not depend on the type of the graph.
#include <perdure/error.hpp>
#include <perdure/graph/pagerank.hpp>

namespace perdure::graph::detail {

void require_pagerank_options(const pagerank_options& options) {
  if (!(options.damping >= 0 && options.damping < 1))
    throw error(errc::invalid_argument, "the damping of PageRank must be at least 0 and less than 1");
  if (!(options.tolerance >= 0))
    throw error(errc::invalid_argument, "the tolerance of PageRank must be 0 or more");
}

}  // namespace perdure::graph::detail
