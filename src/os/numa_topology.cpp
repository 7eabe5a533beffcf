// Reads the NUMA nodes of the machine from sysfs.
#include "os/numa_topology.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "os/memory_limits.hpp"

namespace perdure::os {

namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The number after a prefix ("node12"); nothing for other names.
std::optional<unsigned> number_after(const std::string& name, std::string_view prefix) {
  unsigned value = 0;
  if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  const char* const end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + prefix.size(), end, value);
  return problem == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// Entries of a folder whose name is the prefix and a number, in rising order.
std::vector<unsigned> numbered(const fs::path& folder, std::string_view prefix) {
  std::vector<unsigned> numbers;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (const auto number = number_after(entry->path().filename().string(), prefix))
      numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Lines "Node 0 MemTotal:  24684084 kB", in bytes.
std::map<std::string, std::uint64_t> node_meminfo(const fs::path& node) {
  std::map<std::string, std::uint64_t> values;
  std::ifstream file(node / "meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string label, number, name;
    std::uint64_t value = 0;
    if (words >> label >> number >> name >> value && !name.empty() && name.back() == ':') {
      name.pop_back();
      values[name] = value * 1024;
    }
  }
  return values;
}

bool is_blank(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  return !(file >> text);
}

std::vector<unsigned> device_nodes(const fs::path& sysfs) {
  std::vector<unsigned> nodes;
  std::error_code failure;
  for (fs::directory_iterator entry(sysfs / "bus/dax/devices", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code ignored;
    const fs::path driver = fs::read_symlink(entry->path() / "driver", ignored);
    if (driver.filename() != "kmem") continue;
    if (const auto node = number_in(entry->path() / "target_node"))
      nodes.push_back(static_cast<unsigned>(*node));
  }
  return nodes;
}

}  // namespace

const numa_node* numa_topology::find(unsigned number) const noexcept {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const numa_node& n) { return n.number == number; });
  return found == nodes.end() ? nullptr : &*found;
}

unsigned numa_topology::distance(unsigned from, unsigned to) const noexcept {
  const numa_node* const target = find(to);
  for (std::size_t i = 0; target != nullptr && i < nodes.size(); ++i)
    if (nodes[i].number == from) return i < target->distances.size() ? target->distances[i] : 0;
  return 0;
}

numa_topology read_numa_topology(const fs::path& sysfs) {
  numa_topology topology;
  const fs::path all = sysfs / "devices/system/node";
  const std::vector<unsigned> devices = device_nodes(sysfs);
  for (const unsigned number : numbered(all, "node")) {
    const fs::path folder = all / ("node" + std::to_string(number));
    numa_node node;
    node.number = number;
    const auto memory = node_meminfo(folder);
    if (const auto total = memory.find("MemTotal"); total != memory.end()) node.bytes = total->second;
    node.has_processors = !is_blank(folder / "cpulist");
    node.is_device = std::find(devices.begin(), devices.end(), number) != devices.end();
    std::ifstream distances(folder / "distance");
    for (unsigned d = 0; distances >> d;) node.distances.push_back(d);
    // Class 0 tells of the best initiator of any type, class 1 of the best processor.
    for (const char* access : {"access1", "access0"}) {
      const fs::path initiators = folder / access / "initiators";
      if (node.initiators.empty()) node.initiators = numbered(initiators, "node");
      if (!node.bandwidth) node.bandwidth = number_in(initiators / "read_bandwidth");
      if (!node.latency) node.latency = number_in(initiators / "read_latency");
    }
    // Firmware that does not know says zero.
    if (node.bandwidth == 0) node.bandwidth.reset();
    if (node.latency == 0) node.latency.reset();
    if (node.bandwidth || node.latency) topology.source = "sysfs";
    topology.nodes.push_back(std::move(node));
  }
  if (topology.nodes.empty()) {
    numa_node only;
    only.bytes = physical_memory();
    only.has_processors = true;
    topology.nodes.push_back(std::move(only));
  }
  return topology;
}

const numa_topology& machine_topology() {
  static const numa_topology topology = [] {
    numa_topology read = read_numa_topology();
    if (read.nodes.size() > 1) add_hwloc_attributes(read);
    return read;
  }();
  return topology;
}

std::optional<std::uint64_t> free_memory_of_node(unsigned node, const fs::path& sysfs) {
  const auto memory = node_meminfo(sysfs / "devices/system/node" / ("node" + std::to_string(node)));
  const auto value = [&](const char* name) {
    const auto found = memory.find(name);
    return found == memory.end() ? std::uint64_t{0} : found->second;
  };
  if (memory.find("MemFree") == memory.end()) return std::nullopt;
  return value("MemFree") + value("Inactive(file)") + value("SReclaimable") / 2;
}

std::optional<huge_page_count> huge_pages(std::uint64_t page_bytes, std::optional<unsigned> node,
                                          const fs::path& sysfs) {
  const std::string pages = "hugepages/hugepages-" + std::to_string(page_bytes / 1024) + "kB";
  const fs::path folder = node ? sysfs / "devices/system/node" / ("node" + std::to_string(*node)) / pages
                               : sysfs / "kernel/mm" / pages;
  const auto total = number_in(folder / "nr_hugepages");
  const auto free = number_in(folder / "free_hugepages");
  if (!total || !free) return std::nullopt;
  // Pages that are reserved for mappings are not free; there is no such count for a node.
  const std::uint64_t promised = node ? 0 : number_in(folder / "resv_hugepages").value_or(0);
  const std::uint64_t overcommit = node ? 0 : number_in(folder / "nr_overcommit_hugepages").value_or(0);
  return huge_page_count{*total + overcommit, *free - std::min(*free, promised) + overcommit};
}

}  // namespace perdure::os
