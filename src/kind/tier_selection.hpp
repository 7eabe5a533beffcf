// Which nodes a request for memory means, on a machine of that topology.
#pragma once

#include <perdure/kind.hpp>
#include <string>

#include "os/numa_topology.hpp"

namespace perdure::detail {

struct selected_nodes {
  node_set nodes;
  std::string why_none;  // a sentence; empty if there are nodes
};

/// Selects the nodes for a processor of the node `from`.
selected_nodes select_nodes(const os::numa_topology& topology, memory_tier tier, tier_scope scope,
                            const node_set& given, unsigned from);

}  // namespace perdure::detail
