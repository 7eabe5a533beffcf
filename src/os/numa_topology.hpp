// The machine's NUMA nodes and what is known of their memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace perdure::os {

struct numa_node {
  unsigned number = 0;
  std::uint64_t bytes = 0;
  bool has_processors = false;
  bool is_device = false;            // hot-plugged through the kmem driver: persistent memory, CXL
  std::vector<unsigned> initiators;  // nodes with processors that reach it best; empty where not known
  std::vector<unsigned> distances;   // from each node, in the order of the machine's nodes; may be empty
  // As seen from its best initiator.
  std::optional<std::uint64_t> bandwidth;  // MB/s, reading
  std::optional<std::uint64_t> latency;    // ns, reading
};

struct numa_topology {
  std::vector<numa_node> nodes;  // those with memory or processors, by number
  const char* source = "none";   // of bandwidths and latencies: "hwloc", "sysfs" or "none"

  const numa_node* find(unsigned number) const noexcept;
  /// From a node to a node; 10 is next by, more is farther. 0 where not known.
  unsigned distance(unsigned from, unsigned to) const noexcept;
};

/// Reads sysfs alone: nodes, distances, and the attributes that firmware (HMAT) gives. The root is a
/// parameter for the tests. A system without NUMA has one node.
numa_topology read_numa_topology(const std::filesystem::path& sysfs = "/sys");

/// Adds what libhwloc knows of bandwidth and latency, if that library can be loaded and knows any. `root`
/// is where its /sys and /proc are.
bool add_hwloc_attributes(numa_topology& topology, const std::filesystem::path& root = "/");

/// Returns the topology of this machine, which is read once.
const numa_topology& machine_topology();

/// Free memory of a node in bytes, page cache that can be dropped at once included; nothing where it cannot
/// be read. Reads a file.
std::optional<std::uint64_t> free_memory_of_node(unsigned node, const std::filesystem::path& sysfs = "/sys");

/// Free huge pages of that size, of a node or (without one) of the machine; nothing where the kernel has no
/// such pages.
struct huge_page_count {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};
std::optional<huge_page_count> huge_pages(std::uint64_t page_bytes, std::optional<unsigned> node = {},
                                          const std::filesystem::path& sysfs = "/sys");

}  // namespace perdure::os
