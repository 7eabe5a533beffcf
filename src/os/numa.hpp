// Placement of pages on NUMA nodes, by system calls: there is no need of a library for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perdure::os {

/// MPOL_… of <linux/mempolicy.h>, named here because headers may be older than the kernel.
enum class mempolicy : int {
  standard = 0,
  preferred = 1,
  bind = 2,
  interleave = 3,
  local = 4,
  preferred_many = 5,
  weighted_interleave = 6,
};

/// Sets the policy of a range, for pages that are not there yet. `mask` has 64 nodes a word. 0, or the errno.
int place_memory(void* address, std::size_t bytes, mempolicy policy,
                 std::span<const std::uint64_t> mask) noexcept;

/// Returns whether the kernel knows the policy (and lets this process use it, for the nodes of the mask).
bool knows_policy(mempolicy policy, std::span<const std::uint64_t> mask) noexcept;

/// The node of the processor that runs this thread; 0 where the kernel does not say.
unsigned current_node() noexcept;

/// The node of each page that holds one of these addresses; a negative errno where there is no page.
std::vector<int> nodes_of(std::span<void* const> addresses);

}  // namespace perdure::os
