// Memory on chosen NUMA nodes and in chosen page sizes.
#include "kind/node_policy.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "kind/tier_selection.hpp"
#include "kind/waiting_pages.hpp"
#include "os/mapping.hpp"
#include "os/memory_limits.hpp"
#include "os/numa.hpp"
#include "segment/growth.hpp"

namespace perdure::detail {

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr int size_of_pages_shift = 26;  // MAP_HUGE_SHIFT
constexpr std::size_t most_unasked = 64 * mib;

std::size_t page_bytes_of(page_backing pages) noexcept {
  return pages == page_backing::huge_1g ? 1024 * mib : 2 * mib;
}

bool is_hugetlb(page_backing pages) noexcept {
  return pages == page_backing::huge_2m || pages == page_backing::huge_1g;
}

/// The node `from`, or the first node with processors if that one has none or is not known.
unsigned origin(const os::numa_topology& topology, unsigned from) noexcept {
  const os::numa_node* const node = topology.find(from);
  if (node != nullptr && node->has_processors) return from;
  for (const os::numa_node& other : topology.nodes)
    if (other.has_processors) return other.number;
  return from;
}

/// Memory that must stay free on a node: below that the kernel ends processes rather than let calls fail.
std::uint64_t reserve_of(const os::numa_node& node) noexcept {
  return std::min<std::uint64_t>(64 * mib, 8 * mib + node.bytes / 64);
}

class node_policy final : public memory_policy {
 public:
  node_policy(const os::numa_topology& topology, const memory_request& request)
      : topology_(topology), request_(request) {
    unsigned most = 0;
    for (const os::numa_node& node : topology_.nodes) most = std::max(most, node.number);
    for (unsigned from = 0; from <= most; ++from)
      placements_.push_back(placement_for(topology_, request_, from));
  }

  std::size_t granularity() const override {
    return is_hugetlb(request_.pages) ? page_bytes_of(request_.pages) : 2 * mib;
  }
  std::size_t step(std::size_t missing, std::size_t committed) override {
    return is_hugetlb(request_.pages) ? missing : growth_step(committed);
  }
  int map_flags(std::uint64_t, std::size_t) override {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (request_.pages == page_backing::huge_2m) flags |= MAP_HUGETLB | (21 << size_of_pages_shift);
    if (request_.pages == page_backing::huge_1g) flags |= MAP_HUGETLB | (30 << size_of_pages_shift);
    return flags;
  }
  numa_placement placement(std::uint64_t, std::size_t) override {
    return placements_[std::min<std::size_t>(os::current_node(), placements_.size() - 1)];
  }
  void advise(void* address, std::size_t bytes) override {
    if (request_.pages == page_backing::transparent_huge) os::prefer_huge_pages(address, bytes);
  }
  bool populates() const override {
    return request_.mode == numa_mode::bind || (is_hugetlb(request_.pages) && !request_.pages_preferred);
  }

  // The policy has made sure of bound memory when it was committed; if its pages were dropped, other
  // processes could take them.
  bool drops_to_zero() const override {
    return request_.mode != numa_mode::bind && !is_hugetlb(request_.pages);
  }

  void prepare(std::uint64_t offset, std::size_t bytes) override {
    if (is_hugetlb(request_.pages)) return;
    require_free(placement(offset, bytes), bytes);
    // The kernel does not count reserved ranges against the memory that there is. So memory that may be on
    // any node would be given until touching it ends the process.
    if (request_.mode != numa_mode::none && bytes > most_unasked && os::is_obvious_overcommit(bytes))
      throw std::bad_alloc();
  }
  // Bound memory must be certain. As long as the nodes have enough free pages for all that was committed and
  // may not have been touched yet, the pages can wait for their first touch; if not, they are taken now.
  void commit(void* address, std::size_t bytes, std::uint64_t offset) override {
    if (request_.mode != numa_mode::bind || is_hugetlb(request_.pages))
      return memory_policy::commit(address, bytes, offset);
    const std::scoped_lock lock(waiting_lock_);
    const bool can_wait = is_free(placement(offset, bytes), waiting_.bytes() + bytes);
    if (!can_wait) {
      waiting_.take();
      prepare(offset, bytes);
    }
    map_pages(address, bytes, offset, !can_wait);
    if (can_wait) waiting_.add(address, bytes);
  }
  bool decommit(void* address, std::size_t bytes, std::uint64_t offset) noexcept override {
    const std::scoped_lock lock(waiting_lock_);
    waiting_.remove(address, bytes);
    return memory_policy::decommit(address, bytes, offset);
  }
  std::optional<int> map_flags_otherwise(std::uint64_t offset, std::size_t bytes) override {
    if (!is_hugetlb(request_.pages) || !request_.pages_preferred) return std::nullopt;
    require_free(placement(offset, bytes), bytes);
    return MAP_PRIVATE | MAP_ANONYMOUS;
  }

  memory_size size() const override {
    const numa_placement here =
        placements_[std::min<std::size_t>(os::current_node(), placements_.size() - 1)];
    if (is_hugetlb(request_.pages) && !request_.pages_preferred) return size_of_pool(here);
    memory_size sum{os::usable_memory(), os::available_memory()};
    if (here.nodes.empty() || here.mode == numa_mode::preferred) return sum;
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    here.nodes.for_each([&](unsigned number) {
      if (const os::numa_node* const node = topology_.find(number)) total += node->bytes;
      free += os::free_memory_of_node(number).value_or(0);
    });
    // A control group counts the pages of all nodes.
    return {std::min(total, sum.total), std::min(free, sum.free)};
  }

 private:
  /// Throws if the nodes have too little free memory, before the kernel's OOM killer would act.
  void require_free(const numa_placement& wanted, std::size_t bytes) const {
    if (wanted.mode == numa_mode::bind && !is_free(wanted, bytes)) throw std::bad_alloc();
  }
  /// Returns whether so much is free; true if that is not known.
  bool is_free(const numa_placement& wanted, std::uint64_t bytes) const {
    std::uint64_t free = 0;
    bool known = false;
    wanted.nodes.for_each([&](unsigned number) {
      const os::numa_node* const node = topology_.find(number);
      const auto here = os::free_memory_of_node(number);
      if (node == nullptr || !here) return;
      known = true;
      free += *here - std::min(*here, reserve_of(*node));
    });
    return !known || free >= bytes;
  }

  memory_size size_of_pool(const numa_placement& wanted) const {
    const std::uint64_t page = page_bytes_of(request_.pages);
    os::huge_page_count count;
    if (wanted.nodes.empty() || wanted.mode == numa_mode::none) {
      count = os::huge_pages(page).value_or(os::huge_page_count{});
    } else {
      wanted.nodes.for_each([&](unsigned number) {
        const auto of_node = os::huge_pages(page, number).value_or(os::huge_page_count{});
        count.total += of_node.total;
        count.free += of_node.free;
      });
    }
    return {count.total * page, count.free * page};
  }

  const os::numa_topology topology_;
  const memory_request request_;
  std::vector<numa_placement> placements_;  // by the node of the processor that asks
  std::mutex waiting_lock_;
  waiting_pages waiting_;  // of bound memory
};

std::optional<std::string> no_huge_pages(const memory_request& request) {
  if (request.pages == page_backing::transparent_huge && !request.pages_preferred &&
      !os::huge_pages_on_request())
    return "transparent huge pages are turned off (/sys/kernel/mm/transparent_hugepage/enabled)";
  if (!is_hugetlb(request.pages) || request.pages_preferred) return std::nullopt;
  const std::string size = request.pages == page_backing::huge_1g ? "1 GiB" : "2 MiB";
  const auto pool = os::huge_pages(page_bytes_of(request.pages));
  if (!pool) return "the kernel or the processor has no huge pages of " + size;
  if (pool->total == 0) return "no huge pages of " + size + " are set aside (see vm.nr_hugepages)";
  return std::nullopt;
}

// Every node has a pool of its own.
std::optional<std::string> no_huge_pages_on(const node_set& nodes, const memory_request& request) {
  if (!is_hugetlb(request.pages) || request.pages_preferred) return std::nullopt;
  std::uint64_t total = 0;
  nodes.for_each([&](unsigned node) {
    if (const auto pool = os::huge_pages(page_bytes_of(request.pages), node)) total += pool->total;
  });
  if (total != 0) return std::nullopt;
  return std::string(
      "no huge pages are set aside on these nodes (see nr_hugepages in /sys/devices/system/node)");
}

std::optional<std::string> no_mode(const memory_request& request) {
  if (request.mode != numa_mode::weighted_interleave) return std::nullopt;
  if (os::knows_policy(os::mempolicy::weighted_interleave, node_set::of(0).words())) return std::nullopt;
  return "the kernel has no weighted interleaving (Linux 6.9)";
}

}  // namespace

numa_placement placement_for(const os::numa_topology& topology, const memory_request& request,
                             unsigned from) {
  numa_mode mode = request.mode;
  if (mode == numa_mode::none) {
    if (request.tier == memory_tier::any) return {};
    mode = numa_mode::bind;
  }
  if (mode == numa_mode::local) return {mode, {}};
  const selected_nodes selected =
      select_nodes(topology, request.tier, request.scope, request.nodes, origin(topology, from));
  if (!selected.why_none.empty()) return {};  // only `preferred` comes to this place without nodes
  return {mode, selected.nodes};
}

std::optional<std::string> why_unavailable_on(const os::numa_topology& topology,
                                              const memory_request& request) {
  if (auto why = no_huge_pages(request)) return why;
  if (auto why = no_mode(request)) return why;
  if (request.mode == numa_mode::preferred || request.mode == numa_mode::local) return std::nullopt;
  if (request.tier == memory_tier::any && request.mode == numa_mode::none) return std::nullopt;
  // A tier must be there for the processors of every node, as any of them may ask.
  for (const os::numa_node& node : topology.nodes) {
    if (!node.has_processors) continue;
    selected_nodes selected = select_nodes(topology, request.tier, request.scope, request.nodes, node.number);
    if (!selected.why_none.empty()) return selected.why_none;
    if (auto why = no_huge_pages_on(selected.nodes, request)) return why;
  }
  return std::nullopt;
}

std::shared_ptr<memory_policy> make_node_policy(const os::numa_topology& topology,
                                                const memory_request& request) {
  if (request.tier == memory_tier::nodes) {
    if (request.nodes.empty())
      throw error(errc::invalid_argument, "memory of chosen nodes is asked for, and no nodes are given");
    request.nodes.for_each([&](unsigned number) {
      if (topology.find(number) == nullptr)
        throw error(errc::invalid_argument, "there is no node " + std::to_string(number));
    });
  }
  if (request.mode == numa_mode::local && request.tier != memory_tier::any)
    throw error(errc::invalid_argument,
                "memory of the processor's own node is asked for, and other nodes too: take one");
  if (const auto why = why_unavailable_on(topology, request)) throw error(errc::unsupported, *why);
  memory_request settled = request;
  if (settled.mode == numa_mode::none && settled.tier != memory_tier::any) settled.mode = numa_mode::bind;
  return std::make_shared<node_policy>(topology, settled);
}

}  // namespace perdure::detail
