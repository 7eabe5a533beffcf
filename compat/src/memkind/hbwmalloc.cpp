// hbwmalloc.h over the high-bandwidth kinds.
#include "hbwmalloc.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "memkind.h"
#include "memkind/high_bandwidth.hpp"

namespace {

// 0: not set. What was set, or used, stays.
std::atomic<int> chosen{0};

hbw_policy_t settle() noexcept {
  int policy = 0;
  if (chosen.compare_exchange_strong(policy, HBW_POLICY_PREFERRED)) policy = HBW_POLICY_PREFERRED;
  return static_cast<hbw_policy_t>(policy);
}

memkind_t ordinary_kind() noexcept {
  switch (settle()) {
    case HBW_POLICY_BIND:
      return MEMKIND_HBW;
    case HBW_POLICY_BIND_ALL:
      return MEMKIND_HBW_ALL;
    case HBW_POLICY_INTERLEAVE:
      return MEMKIND_HBW_INTERLEAVE;
    default:
      return MEMKIND_HBW_PREFERRED;
  }
}

// Null: the policy does not go with such pages.
memkind_t huge_kind(bool gigantic) noexcept {
  switch (settle()) {
    case HBW_POLICY_BIND:
      return gigantic ? MEMKIND_HBW_GBTLB : MEMKIND_HBW_HUGETLB;
    case HBW_POLICY_BIND_ALL:
      return gigantic ? nullptr : MEMKIND_HBW_ALL_HUGETLB;
    case HBW_POLICY_PREFERRED:
      return gigantic ? MEMKIND_HBW_PREFERRED_GBTLB : MEMKIND_HBW_PREFERRED_HUGETLB;
    default:
      return nullptr;
  }
}

struct page_range {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::uintptr_t page;
};

bool is_mapped(const page_range& range) {
  unsigned char resident[1024];
  const std::uintptr_t step = sizeof resident * range.page;
  for (std::uintptr_t at = range.begin; at < range.end; at += step) {
    const std::size_t bytes = std::min(step, range.end - at);
    if (::mincore(reinterpret_cast<void*>(at), bytes, resident) != 0) return false;
  }
  return true;
}

void touch(const page_range& range) {
  for (std::uintptr_t at = range.begin; at < range.end; at += range.page) {
    // Other threads may write there: what is stored is what was there at that moment.
    __atomic_fetch_or(reinterpret_cast<unsigned char*>(at), 0, __ATOMIC_RELAXED);
  }
}

// 0, -1 or EFAULT, as hbw_verify_memory_region.
int check_nodes(const page_range& range) {
  const perdure::node_set nodes = perdure::memkind_compat::high_bandwidth_nodes();
  constexpr std::size_t batch = 512;
  void* pages[batch];
  int status[batch];
  for (std::uintptr_t at = range.begin; at < range.end;) {
    std::size_t count = 0;
    for (; count < batch && at < range.end; at += range.page) pages[count++] = reinterpret_cast<void*>(at);
    if (::syscall(SYS_move_pages, 0, count, pages, nullptr, status, 0) != 0) return EFAULT;
    for (std::size_t i = 0; i < count; ++i) {
      if (status[i] < 0 || !nodes.contains(static_cast<unsigned>(status[i]))) return -1;
    }
  }
  return 0;
}

}  // namespace

extern "C" {

hbw_policy_t hbw_get_policy(void) {
  const int policy = chosen.load();
  return policy == 0 ? HBW_POLICY_PREFERRED : static_cast<hbw_policy_t>(policy);
}

int hbw_set_policy(hbw_policy_t mode) {
  if (mode < HBW_POLICY_BIND || mode > HBW_POLICY_BIND_ALL) return EINVAL;
  int none = 0;
  return chosen.compare_exchange_strong(none, mode) ? 0 : EPERM;
}

int hbw_check_available(void) {
  return memkind_check_available(MEMKIND_HBW) == MEMKIND_SUCCESS ? 0 : ENODEV;
}

int hbw_verify_memory_region(void* addr, size_t size, int flags) {
  const auto first = reinterpret_cast<std::uintptr_t>(addr);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (addr == nullptr || size == 0 || (flags & ~HBW_TOUCH_PAGES) != 0) return EINVAL;
  if (size > UINTPTR_MAX - page - first) return EFAULT;
  const page_range range{first / page * page, (first + size + page - 1) / page * page, page};
  if (!is_mapped(range)) return EFAULT;
  if ((flags & HBW_TOUCH_PAGES) != 0) touch(range);
  return check_nodes(range);
}

void* hbw_malloc(size_t size) {
  return memkind_malloc(ordinary_kind(), size);
}

void* hbw_calloc(size_t num, size_t size) {
  return memkind_calloc(ordinary_kind(), num, size);
}

int hbw_posix_memalign(void** memptr, size_t alignment, size_t size) {
  return memkind_posix_memalign(ordinary_kind(), memptr, alignment, size);
}

int hbw_posix_memalign_psize(void** memptr, size_t alignment, size_t size, hbw_pagesize_t pagesize) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  memkind_t kind = nullptr;
  switch (pagesize) {
    case HBW_PAGESIZE_4KB:
      kind = ordinary_kind();
      break;
    case HBW_PAGESIZE_2MB:
      kind = huge_kind(false);
      break;
    case HBW_PAGESIZE_1GB_STRICT:
      if (size % gib != 0) return EINVAL;
      kind = huge_kind(true);
      break;
    case HBW_PAGESIZE_1GB:
      kind = huge_kind(true);
      break;
    default:
      break;
  }
  return kind == nullptr ? EINVAL : memkind_posix_memalign(kind, memptr, alignment, size);
}

void* hbw_realloc(void* ptr, size_t size) {
  // A block stays in the kind it is of.
  return memkind_realloc(ptr == nullptr ? ordinary_kind() : nullptr, ptr, size);
}

void hbw_free(void* ptr) {
  memkind_free(nullptr, ptr);
}

size_t hbw_malloc_usable_size(void* ptr) {
  return memkind_malloc_usable_size(nullptr, ptr);
}

}  // extern "C"
