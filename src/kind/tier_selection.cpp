// Which nodes a request for memory means, on a machine of that topology.
#include "kind/tier_selection.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/invariant.hpp"

namespace perdure::detail {

namespace {

using os::numa_node;
using os::numa_topology;
using node_list = std::vector<const numa_node*>;

// Every node with memory belongs to the nodes with processors that reach it best.
bool is_local(const numa_topology& topology, const numa_node& node, unsigned from) {
  if (!node.initiators.empty())
    return std::find(node.initiators.begin(), node.initiators.end(), from) != node.initiators.end();
  if (node.has_processors) return node.number == from;
  unsigned nearest = ~0U;
  for (const numa_node& other : topology.nodes)
    if (other.has_processors) nearest = std::min(nearest, topology.distance(other.number, node.number));
  return topology.distance(from, node.number) == nearest;
}

node_list nearest_of(const numa_topology& topology, const node_list& nodes, unsigned from) {
  unsigned nearest = ~0U;
  for (const numa_node* node : nodes) nearest = std::min(nearest, topology.distance(from, node->number));
  node_list kept;
  for (const numa_node* node : nodes)
    if (topology.distance(from, node->number) == nearest) kept.push_back(node);
  return kept;
}

selected_nodes none(std::string why) {
  return {node_set(), std::move(why)};
}

struct node_attribute {
  const char* name;
  std::optional<std::uint64_t> (*value)(const numa_node&);
  bool most_is_best;
};

constexpr node_attribute bandwidth{"bandwidth", [](const numa_node& n) { return n.bandwidth; }, true};
constexpr node_attribute latency{"latency", [](const numa_node& n) { return n.latency; }, false};
constexpr node_attribute capacity{"capacity", [](const numa_node& n) { return std::optional(n.bytes); },
                                  true};

const node_attribute* attribute_of(memory_tier tier) {
  switch (tier) {
    case memory_tier::highest_bandwidth:
      return &bandwidth;
    case memory_tier::lowest_latency:
      return &latency;
    case memory_tier::highest_capacity:
      return &capacity;
    default:
      return nullptr;
  }
}

/// The nodes with the best value. Empty, with a reason, if that cannot be told: a value is missing, or all
/// are the same.
node_list best_of(const node_list& nodes, const node_attribute& by, std::string& why) {
  std::optional<std::uint64_t> best, worst;
  for (const numa_node* node : nodes) {
    const auto value = by.value(*node);
    PERDURE_INVARIANT(value || &by != &capacity);
    if (!value) {
      why = std::string("the ") + by.name + " of node " + std::to_string(node->number) +
            " is not known: the firmware gives no such attribute (HMAT)";
      return {};
    }
    const auto better = [&](std::uint64_t a, std::uint64_t b) { return by.most_is_best ? a > b : a < b; };
    if (!best || better(*value, *best)) best = value;
    if (!worst || better(*worst, *value)) worst = value;
  }
  // The capacity of nodes is always known: if all have the same, all of them are the answer.
  if (best == worst && &by != &capacity) {
    why = std::string("there is one tier only: all memory has the same ") + by.name;
    return {};
  }
  node_list kept;
  for (const numa_node* node : nodes)
    if (by.value(*node) == best) kept.push_back(node);
  return kept;
}

node_list candidates(const numa_topology& topology, memory_tier tier, const node_set& given,
                     std::string& why) {
  node_list nodes;
  for (const numa_node& node : topology.nodes) {
    if (node.bytes == 0) continue;
    const bool wanted = tier == memory_tier::nodes         ? given.contains(node.number)
                        : tier == memory_tier::regular     ? node.has_processors && !node.is_device
                        : tier == memory_tier::memory_only ? !node.has_processors
                        : tier == memory_tier::device      ? node.is_device
                                                           : true;
    if (wanted) nodes.push_back(&node);
  }
  if (nodes.empty())
    why = tier == memory_tier::memory_only ? "every node with memory has processors"
          : tier == memory_tier::device    ? "no node's memory comes from a device (the kmem driver has none)"
          : tier == memory_tier::nodes     ? "none of the nodes given has memory"
                                           : "no node has such memory";
  return nodes;
}

}  // namespace

selected_nodes select_nodes(const numa_topology& topology, memory_tier tier, tier_scope scope,
                            const node_set& given, unsigned from) {
  std::string why;
  node_list nodes = candidates(topology, tier, given, why);
  if (nodes.empty()) return none(why);
  if (tier == memory_tier::nodes) {
    bool all_exist = true;
    given.for_each([&](unsigned number) {
      const numa_node* const node = topology.find(number);
      if (node == nullptr || node->bytes == 0) all_exist = false;
    });
    if (!all_exist) return none("some of the nodes given do not exist or have no memory");
  }
  if (scope == tier_scope::local)
    std::erase_if(nodes, [&](const numa_node* node) { return !is_local(topology, *node, from); });
  if (nodes.empty()) return none("node " + std::to_string(from) + " has no such memory of its own");
  if (const node_attribute* const by = attribute_of(tier)) {
    nodes = best_of(nodes, *by, why);
    if (nodes.empty()) return none(why);
  }
  if (scope != tier_scope::all) nodes = nearest_of(topology, nodes, from);
  selected_nodes selected;
  for (const numa_node* node : nodes) selected.nodes.add(node->number);
  return selected;
}

}  // namespace perdure::detail
