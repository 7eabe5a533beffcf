#include "memkind/static_kinds.hpp"

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

#include "memkind/high_bandwidth.hpp"
#include "memkind/settings.hpp"

namespace {

// A kind of a name and a partition that memkind gave it.
struct static_one : memkind {
  constexpr static_one(int number, const char* called) {
    partition = number;
    for (std::size_t i = 0; called[i] != '\0'; ++i) name[i] = called[i];
  }
};

constinit std::array<static_one, MEMKIND_NUM_BASE_KIND> static_ones{{
    {MEMKIND_PARTITION_DEFAULT, "memkind_default"},
    {MEMKIND_PARTITION_HBW, "memkind_hbw"},
    {MEMKIND_PARTITION_HBW_HUGETLB, "memkind_hbw_hugetlb"},
    {MEMKIND_PARTITION_HBW_PREFERRED, "memkind_hbw_preferred"},
    {MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB, "memkind_hbw_preferred_hugetlb"},
    {MEMKIND_PARTITION_HUGETLB, "memkind_hugetlb"},
    {MEMKIND_PARTITION_HBW_GBTLB, "memkind_hbw_gbtlb"},
    {MEMKIND_PARTITION_HBW_PREFERRED_GBTLB, "memkind_hbw_preferred_gbtlb"},
    {MEMKIND_PARTITION_GBTLB, "memkind_gbtlb"},
    {MEMKIND_PARTITION_HBW_INTERLEAVE, "memkind_hbw_interleave"},
    {MEMKIND_PARTITION_INTERLEAVE, "memkind_interleave"},
    {MEMKIND_PARTITION_REGULAR, "memkind_regular"},
    {MEMKIND_PARTITION_HBW_ALL, "memkind_hbw_all"},
    {MEMKIND_PARTITION_HBW_ALL_HUGETLB, "memkind_hbw_all_hugetlb"},
    {MEMKIND_PARTITION_DAX_KMEM, "memkind_dax_kmem"},
    {MEMKIND_PARTITION_DAX_KMEM_ALL, "memkind_dax_kmem_all"},
    {MEMKIND_PARTITION_DAX_KMEM_PREFERRED, "memkind_dax_kmem_preferred"},
    {MEMKIND_PARTITION_DAX_KMEM_INTERLEAVE, "memkind_dax_kmem_interleave"},
    {MEMKIND_PARTITION_HIGHEST_CAPACITY, "memkind_highest_capacity"},
    {MEMKIND_PARTITION_HIGHEST_CAPACITY_PREFERRED, "memkind_highest_capacity_preferred"},
    {MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL, "memkind_highest_capacity_local"},
    {MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL_PREFERRED, "memkind_highest_capacity_local_preferred"},
    {MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL, "memkind_lowest_latency_local"},
    {MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL_PREFERRED, "memkind_lowest_latency_local_preferred"},
    {MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL, "memkind_highest_bandwidth_local"},
    {MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL_PREFERRED, "memkind_highest_bandwidth_local_preferred"},
}};

}  // namespace

#define PERDURE_STATIC_KIND(name)          \
  memkind_t MEMKIND_##name {               \
    &static_ones[MEMKIND_PARTITION_##name] \
  }
PERDURE_STATIC_KIND(DEFAULT);
PERDURE_STATIC_KIND(HBW);
PERDURE_STATIC_KIND(HBW_HUGETLB);
PERDURE_STATIC_KIND(HBW_PREFERRED);
PERDURE_STATIC_KIND(HBW_PREFERRED_HUGETLB);
PERDURE_STATIC_KIND(HUGETLB);
PERDURE_STATIC_KIND(HBW_GBTLB);
PERDURE_STATIC_KIND(HBW_PREFERRED_GBTLB);
PERDURE_STATIC_KIND(GBTLB);
PERDURE_STATIC_KIND(HBW_INTERLEAVE);
PERDURE_STATIC_KIND(INTERLEAVE);
PERDURE_STATIC_KIND(REGULAR);
PERDURE_STATIC_KIND(HBW_ALL);
PERDURE_STATIC_KIND(HBW_ALL_HUGETLB);
PERDURE_STATIC_KIND(DAX_KMEM);
PERDURE_STATIC_KIND(DAX_KMEM_ALL);
PERDURE_STATIC_KIND(DAX_KMEM_PREFERRED);
PERDURE_STATIC_KIND(DAX_KMEM_INTERLEAVE);
PERDURE_STATIC_KIND(HIGHEST_CAPACITY);
PERDURE_STATIC_KIND(HIGHEST_CAPACITY_PREFERRED);
PERDURE_STATIC_KIND(HIGHEST_CAPACITY_LOCAL);
PERDURE_STATIC_KIND(HIGHEST_CAPACITY_LOCAL_PREFERRED);
PERDURE_STATIC_KIND(LOWEST_LATENCY_LOCAL);
PERDURE_STATIC_KIND(LOWEST_LATENCY_LOCAL_PREFERRED);
PERDURE_STATIC_KIND(HIGHEST_BANDWIDTH_LOCAL);
PERDURE_STATIC_KIND(HIGHEST_BANDWIDTH_LOCAL_PREFERRED);

namespace perdure::memkind_compat {

namespace {

// Being made, one at a time.
std::mutex making;

memory_request of_nodes(const node_set& nodes, tier_scope scope, numa_mode mode, page_backing pages) {
  memory_request request;
  request.scope = scope;
  request.mode = mode;
  request.pages = pages;
  // Preferring memory that is nowhere is wanting any.
  if (mode == numa_mode::preferred && nodes.empty()) {
    request.mode = numa_mode::none;
    return request;
  }
  request.tier = memory_tier::nodes;
  request.nodes = nodes;
  return request;
}

memory_request high_bandwidth(tier_scope scope, numa_mode mode, page_backing pages = page_backing::ordinary) {
  return of_nodes(high_bandwidth_nodes(), scope, mode, pages);
}

memory_request device(tier_scope scope, numa_mode mode) {
  if (const auto nodes = kmem_nodes_wanted()) return of_nodes(*nodes, scope, mode, page_backing::ordinary);
  return {.tier = memory_tier::device, .scope = scope, .mode = mode};
}

memory_request huge(page_backing pages) {
  memory_request request;
  request.pages = pages;
  return request;
}

bool is_of_persistent_memory(const memkind& one) noexcept {
  return one.partition >= MEMKIND_PARTITION_DAX_KMEM &&
         one.partition <= MEMKIND_PARTITION_DAX_KMEM_INTERLEAVE;
}

// Whether the environment variables that concern it are sound.
int environment_status_of(const memkind& one) {
  if (const int status = environment_status()) return status;
  if (is_of_persistent_memory(one)) return persistent_memory_status();
  return std::string_view(one.name).starts_with("memkind_hbw") ? high_bandwidth_status() : MEMKIND_SUCCESS;
}

// That there is no such memory here, as memkind says it of this kind.
int code_for_none(const memkind& one) {
  if (is_of_persistent_memory(one)) return MEMKIND_ERROR_UNAVAILABLE;
  const bool of_1_gib = request_of(one).pages == page_backing::huge_1g;
  return of_1_gib ? MEMKIND_ERROR_HUGETLB : MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE;
}

}  // namespace

memory_request request_of(const memkind& of) {
  using enum tier_scope;
  using numa_mode::bind, numa_mode::interleave, numa_mode::preferred;
  switch (of.partition) {
    case MEMKIND_PARTITION_HBW:
      return high_bandwidth(nearest, bind);
    case MEMKIND_PARTITION_HBW_ALL:
      return high_bandwidth(all, bind);
    case MEMKIND_PARTITION_HBW_PREFERRED:
      return high_bandwidth(nearest, preferred);
    case MEMKIND_PARTITION_HBW_INTERLEAVE:
      return high_bandwidth(all, interleave);
    case MEMKIND_PARTITION_HBW_HUGETLB:
      return high_bandwidth(nearest, bind, page_backing::huge_2m);
    case MEMKIND_PARTITION_HBW_ALL_HUGETLB:
      return high_bandwidth(all, bind, page_backing::huge_2m);
    case MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB:
      return high_bandwidth(nearest, preferred, page_backing::huge_2m);
    case MEMKIND_PARTITION_HBW_GBTLB:
      return high_bandwidth(nearest, bind, page_backing::huge_1g);
    case MEMKIND_PARTITION_HBW_PREFERRED_GBTLB:
      return high_bandwidth(nearest, preferred, page_backing::huge_1g);
    case MEMKIND_PARTITION_HUGETLB:
      return huge(page_backing::huge_2m);
    case MEMKIND_PARTITION_GBTLB:
      return huge(page_backing::huge_1g);
    case MEMKIND_PARTITION_INTERLEAVE:
      return {.mode = interleave};
    case MEMKIND_PARTITION_REGULAR:
      return {.tier = memory_tier::regular, .mode = bind};
    case MEMKIND_PARTITION_DAX_KMEM:
      return device(nearest, bind);
    case MEMKIND_PARTITION_DAX_KMEM_ALL:
      return device(all, bind);
    case MEMKIND_PARTITION_DAX_KMEM_PREFERRED:
      return device(nearest, preferred);
    case MEMKIND_PARTITION_DAX_KMEM_INTERLEAVE:
      return device(all, interleave);
    case MEMKIND_PARTITION_HIGHEST_CAPACITY:
      return {.tier = memory_tier::highest_capacity, .mode = bind};
    case MEMKIND_PARTITION_HIGHEST_CAPACITY_PREFERRED:
      return {.tier = memory_tier::highest_capacity, .mode = preferred};
    case MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL:
      return {.tier = memory_tier::highest_capacity, .scope = local, .mode = bind};
    case MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL_PREFERRED:
      return {.tier = memory_tier::highest_capacity, .scope = local, .mode = preferred};
    case MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL:
      return {.tier = memory_tier::lowest_latency, .scope = local, .mode = bind};
    case MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL_PREFERRED:
      return {.tier = memory_tier::lowest_latency, .scope = local, .mode = preferred};
    case MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL:
      return {.tier = memory_tier::highest_bandwidth, .scope = local, .mode = bind};
    case MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL_PREFERRED:
      return {.tier = memory_tier::highest_bandwidth, .scope = local, .mode = preferred};
    default:
      return {};
  }
}

bool is_static(memkind_t one) noexcept {
  for (const memkind& each : static_ones) {
    if (&each == one) return true;
  }
  return false;
}

memkind_t static_at(int partition) noexcept {
  return partition >= 0 && partition < MEMKIND_NUM_BASE_KIND
             ? &static_ones[static_cast<std::size_t>(partition)]
             : nullptr;
}

int availability(const memkind& one) noexcept {
  try {
    // Always there, so whatever the environment says.
    if (one.partition == MEMKIND_PARTITION_DEFAULT) return MEMKIND_SUCCESS;
    if (const int status = environment_status_of(one)) return status;
    memory_request request = request_of(one);
    const bool wants_high_bandwidth = one.partition == MEMKIND_PARTITION_HBW_PREFERRED ||
                                      one.partition == MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB ||
                                      one.partition == MEMKIND_PARTITION_HBW_PREFERRED_GBTLB;
    if (wants_high_bandwidth && request.tier != memory_tier::nodes) return code_for_none(one);
    if (request.mode == numa_mode::preferred) request.mode = numa_mode::bind;
    const page_backing pages = std::exchange(request.pages, page_backing::ordinary);
    if (const auto why = kind::why_unavailable(request)) {
      debug(why->c_str());
      return code_for_none(one);
    }
    request.pages = pages;
    if (const auto why = kind::why_unavailable(request)) {
      debug(why->c_str());
      return MEMKIND_ERROR_HUGETLB;
    }
    return MEMKIND_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

kind* make_static(memkind& of) noexcept {
  const int errno_before = errno;
  if (of.partition < 0 || of.failure.load(std::memory_order_acquire) != MEMKIND_SUCCESS) return nullptr;
  const std::scoped_lock lock(making);
  if (kind* const live = of.live.load()) return live;
  try {
    kind* live = nullptr;
    if (of.partition == MEMKIND_PARTITION_DEFAULT) {
      live = &kind::get(static_kind::standard);
    } else if (const int status = environment_status_of(of)) {
      of.failure.store(status, std::memory_order_release);
    } else {
      live = kind::create(request_of(of), {.name = of.name}).release();
    }
    of.live.store(live, std::memory_order_release);
    // Whoever asks for memory first and gets it finds nothing in errno that came of making the kind.
    if (live != nullptr) errno = errno_before;
    return live;
  } catch (const std::exception& failure) {
    debug(failure.what());
    of.failure.store(code_of_exception(), std::memory_order_release);
  }
  return nullptr;
}

}  // namespace perdure::memkind_compat
