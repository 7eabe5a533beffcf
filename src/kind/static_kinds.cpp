// The kinds that need no more than a name, and those made of a request.
#include <array>
#include <map>
#include <mutex>

#include "kind/kind_state.hpp"
#include "kind/node_policy.hpp"
#include "os/memory_limits.hpp"
#include "os/numa_topology.hpp"

namespace perdure {

using namespace detail;

namespace {

using enum memory_tier;
using enum tier_scope;

struct static_row {
  static_kind which;
  std::string_view name;
  memory_tier tier = any;
  tier_scope scope = all;
  numa_mode mode = numa_mode::none;
  page_backing pages = page_backing::ordinary;
  bool pages_preferred = false;
};

constexpr auto bind = numa_mode::bind;
constexpr auto preferred = numa_mode::preferred;
constexpr auto in_turn = numa_mode::interleave;
constexpr auto no_mode = numa_mode::none;

constexpr std::array<static_row, static_kind_count> rows{{
    {static_kind::standard, "default"},
    {static_kind::huge_pages, "huge_pages", any, all, no_mode, page_backing::transparent_huge},
    {static_kind::huge_2m, "huge_2m", any, all, no_mode, page_backing::huge_2m},
    {static_kind::huge_2m_preferred, "huge_2m_preferred", any, all, no_mode, page_backing::huge_2m, true},
    {static_kind::huge_1g, "huge_1g", any, all, no_mode, page_backing::huge_1g},
    {static_kind::huge_1g_preferred, "huge_1g_preferred", any, all, no_mode, page_backing::huge_1g, true},
    {static_kind::interleave, "interleave", any, all, in_turn},
    {static_kind::weighted_interleave, "weighted_interleave", any, all, numa_mode::weighted_interleave},
    {static_kind::regular, "regular", regular, all, bind},
    {static_kind::memory_only, "memory_only", memory_only, nearest, bind},
    {static_kind::memory_only_all, "memory_only_all", memory_only, all, bind},
    {static_kind::memory_only_preferred, "memory_only_preferred", memory_only, nearest, preferred},
    {static_kind::memory_only_interleave, "memory_only_interleave", memory_only, all, in_turn},
    {static_kind::device, "device", device, nearest, bind},
    {static_kind::device_all, "device_all", device, all, bind},
    {static_kind::device_preferred, "device_preferred", device, nearest, preferred},
    {static_kind::device_interleave, "device_interleave", device, all, in_turn},
    {static_kind::highest_bandwidth, "highest_bandwidth", highest_bandwidth, nearest, bind},
    {static_kind::highest_bandwidth_all, "highest_bandwidth_all", highest_bandwidth, all, bind},
    {static_kind::highest_bandwidth_preferred, "highest_bandwidth_preferred", highest_bandwidth, nearest,
     preferred},
    {static_kind::highest_bandwidth_interleave, "highest_bandwidth_interleave", highest_bandwidth, all,
     in_turn},
    {static_kind::highest_bandwidth_local, "highest_bandwidth_local", highest_bandwidth, local, bind},
    {static_kind::highest_bandwidth_local_preferred, "highest_bandwidth_local_preferred", highest_bandwidth,
     local, preferred},
    {static_kind::lowest_latency, "lowest_latency", lowest_latency, nearest, bind},
    {static_kind::lowest_latency_all, "lowest_latency_all", lowest_latency, all, bind},
    {static_kind::lowest_latency_preferred, "lowest_latency_preferred", lowest_latency, nearest, preferred},
    {static_kind::lowest_latency_local, "lowest_latency_local", lowest_latency, local, bind},
    {static_kind::lowest_latency_local_preferred, "lowest_latency_local_preferred", lowest_latency, local,
     preferred},
    {static_kind::highest_capacity, "highest_capacity", highest_capacity, nearest, bind},
    {static_kind::highest_capacity_all, "highest_capacity_all", highest_capacity, all, bind},
    {static_kind::highest_capacity_preferred, "highest_capacity_preferred", highest_capacity, nearest,
     preferred},
    {static_kind::highest_capacity_local, "highest_capacity_local", highest_capacity, local, bind},
    {static_kind::highest_capacity_local_preferred, "highest_capacity_local_preferred", highest_capacity,
     local, preferred},
}};

constexpr bool rows_are_in_order() {
  for (unsigned i = 0; i < rows.size(); ++i)
    if (static_cast<unsigned>(rows[i].which) != i) return false;
  return true;
}
static_assert(rows_are_in_order());

const static_row& row_of(static_kind which) {
  const auto index = static_cast<unsigned>(which);
  if (index >= rows.size())
    throw error(errc::invalid_argument, "there is no static kind " + std::to_string(index));
  return rows[index];
}

/// Kinds that live as long as the program, made when they are first asked for.
struct lasting_kinds {
  std::mutex mutex;
  std::array<std::atomic<kind*>, static_kind_count> by_name{};
  std::map<unsigned, kind*> by_node;
};
lasting_kinds& lasting() {
  static lasting_kinds& kinds = *new lasting_kinds;
  return kinds;
}

}  // namespace

std::string_view to_string(static_kind which) noexcept {
  const auto index = static_cast<unsigned>(which);
  return index < rows.size() ? rows[index].name : "unknown";
}

std::optional<static_kind> static_kind_named(std::string_view name) noexcept {
  for (const static_row& row : rows)
    if (row.name == name) return row.which;
  return std::nullopt;
}

memory_request request_of(static_kind which) {
  const static_row& row = row_of(which);
  memory_request request;
  request.tier = row.tier;
  request.scope = row.scope;
  request.mode = row.mode;
  request.pages = row.pages;
  request.pages_preferred = row.pages_preferred;
  return request;
}

kind& kind::get(static_kind which) {
  const static_row& row = row_of(which);
  std::atomic<kind*>& place = lasting().by_name[static_cast<unsigned>(which)];
  if (kind* const made = place.load(std::memory_order_acquire)) return *made;
  const std::lock_guard lock(lasting().mutex);
  if (kind* const made = place.load(std::memory_order_acquire)) return *made;
  kind_options options;
  options.name = row.name;
  kind* const made = create(request_of(which), options).release();
  place.store(made, std::memory_order_release);
  return *made;
}

kind& kind::of_node(unsigned node) {
  const std::lock_guard lock(lasting().mutex);
  kind*& made = lasting().by_node[node];
  if (made != nullptr) return *made;
  memory_request request;
  request.tier = memory_tier::nodes;
  request.mode = numa_mode::bind;
  request.nodes = node_set::of(node);
  kind_options options;
  options.name = "node" + std::to_string(node);
  made = create(request, options).release();
  return *made;
}

bool kind::is_lasting() const noexcept {
  const lasting_kinds& kinds = lasting();
  for (const auto& place : kinds.by_name)
    if (place.load(std::memory_order_relaxed) == this) return true;
  const std::lock_guard lock(lasting().mutex);
  for (const auto& [node, made] : kinds.by_node)
    if (made == this) return true;
  return false;
}

std::optional<std::string> kind::why_unavailable(const memory_request& request) {
  return why_unavailable_on(os::machine_topology(), request);
}

std::optional<std::string> kind::why_unavailable(static_kind which) {
  return why_unavailable(request_of(which));
}

std::unique_ptr<kind> kind::create(const memory_request& request, const kind_options& options) {
  return kind_access::make(make_node_policy(os::machine_topology(), request), os::physical_memory(), options);
}

}  // namespace perdure
