// The environment variables of memkind, read when a kind is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/node_set.hpp>

namespace perdure::memkind_compat {

/// MEMKIND_ERROR_ENVIRON if a variable that concerns all kinds does not say what it should; else
/// MEMKIND_SUCCESS.
int environment_status();
/// The same of those for high-bandwidth memory and for persistent memory; nodes that they name must be there.
int high_bandwidth_status();
int persistent_memory_status();

/// Empty: the variable is not set.
std::optional<node_set> hbw_nodes_wanted();   ///< MEMKIND_HBW_NODES
std::optional<node_set> kmem_nodes_wanted();  ///< MEMKIND_DAX_KMEM_NODES
std::uint64_t hbw_threshold();                ///< MEMKIND_HBW_THRESHOLD, MB/s
bool keeps_memory();                          ///< MEMKIND_HOG_MEMORY
/// MEMKIND_DEBUG: says it on the standard error output.
void debug(const char* what);

}  // namespace perdure::memkind_compat
