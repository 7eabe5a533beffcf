// Memory of the machine: chosen nodes, chosen page sizes.
#pragma once

#include <memory>
#include <optional>
#include <perdure/kind.hpp>
#include <string>

#include "os/numa_topology.hpp"

namespace perdure::detail {

/// Why the memory asked for cannot be had, on this kernel and a machine of that topology; nothing if it can.
std::optional<std::string> why_unavailable_on(const os::numa_topology& topology,
                                              const memory_request& request);

/// Throws `errc::unsupported` with that reason, or `errc::invalid_argument` for a request that makes no
/// sense.
std::shared_ptr<memory_policy> make_node_policy(const os::numa_topology& topology,
                                                const memory_request& request);

/// Where processors of the node `from` get their memory.
numa_placement placement_for(const os::numa_topology& topology, const memory_request& request, unsigned from);

}  // namespace perdure::detail
