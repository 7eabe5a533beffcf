// Which nodes are high-bandwidth memory: those that the environment names, else those that some processor
// reads at least as fast as the threshold says. (A kind of Perdure's takes the fastest there are instead.)
#pragma once

#include <perdure/node_set.hpp>

namespace perdure::memkind_compat {

/// Empty where no node is known to be one.
node_set high_bandwidth_nodes();

}  // namespace perdure::memkind_compat
