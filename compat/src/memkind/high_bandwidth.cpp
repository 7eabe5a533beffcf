#include "memkind/high_bandwidth.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "memkind/settings.hpp"

namespace perdure::memkind_compat {

namespace {

// In MB/s; 0 where the firmware does not say. Access class 1 is that of processors, class 0 that of any
// initiator.
std::uint64_t read_bandwidth(unsigned node) {
  for (const char* access : {"access1", "access0"}) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/" + access +
                       "/initiators/read_bandwidth");
    std::uint64_t bandwidth = 0;
    if (file >> bandwidth) return bandwidth;
  }
  return 0;
}

}  // namespace

node_set high_bandwidth_nodes() {
  if (const auto wanted = hbw_nodes_wanted()) return *wanted;
  const std::uint64_t threshold = hbw_threshold();
  node_set nodes;
  std::error_code failure;
  for (unsigned node = 0; node < node_set::most_nodes; ++node) {
    // Numbers may have gaps.
    if (!std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(node), failure)) continue;
    const std::uint64_t bandwidth = read_bandwidth(node);
    if (bandwidth != 0 && bandwidth >= threshold) nodes.add(node);
  }
  return nodes;
}

}  // namespace perdure::memkind_compat
