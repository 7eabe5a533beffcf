// memkind_memtier.h: allocations split between kinds, by a static ratio or by a threshold of size that
// follows it. The splitting is Perdure's; here is what the blocks are counted by, and how memkind puts it.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <perdure/detail/tier_division.hpp>
#include <string_view>
#include <vector>

#include "memkind/kind_table.hpp"
#include "memkind_memtier.h"

#define PERDURE_WEAK __attribute__((weak))
extern "C" {
PERDURE_WEAK void memtier_kind_malloc_post(memkind_t, size_t, void**);
PERDURE_WEAK void memtier_kind_calloc_post(memkind_t, size_t, size_t, void**);
PERDURE_WEAK void memtier_kind_posix_memalign_post(memkind_t, void**, size_t, size_t, int*);
PERDURE_WEAK void memtier_kind_realloc_post(memkind_t, void*, size_t, void**);
PERDURE_WEAK void memtier_kind_free_pre(void**);
PERDURE_WEAK void memtier_kind_usable_size_post(void**, size_t);
}

namespace {

using perdure::memkind_compat::is_known;

struct tier {
  memkind_t kind;
  unsigned ratio;
};

struct dynamic_settings {
  unsigned check_count = 20;
  float trigger = 0.02F;
  float degree = 0.15F;
};

perdure::detail::tier_boundary default_threshold(std::size_t index) {
  return {.initial = 1024 * (index + 1), .least = 1024 * index + 513, .most = 1024 * index + 1536};
}

void count_block(memkind_t kind, void* block) noexcept {
  if (kind != nullptr && block != nullptr)
    kind->tiered_bytes.fetch_add(static_cast<std::int64_t>(memkind_malloc_usable_size(kind, block)),
                                 std::memory_order_relaxed);
}

void discount(memkind_t kind, std::size_t bytes) noexcept {
  if (kind != nullptr)
    kind->tiered_bytes.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

}  // namespace

struct memtier_builder {
  memtier_policy_t policy;
  std::vector<tier> tiers;
  std::vector<perdure::detail::tier_boundary> thresholds;
  dynamic_settings settings;
};

namespace {

std::vector<perdure::detail::divided_tier> divided(const std::vector<tier>& tiers) {
  std::vector<perdure::detail::divided_tier> all;
  all.reserve(tiers.size());
  for (const tier& each : tiers) all.push_back({each.ratio, &each.kind->tiered_bytes});
  return all;
}

perdure::detail::tier_division division_of(const memtier_builder& builder) {
  const std::vector<tier>& tiers = builder.tiers;
  if (builder.policy == MEMTIER_POLICY_STATIC_RATIO) return perdure::detail::tier_division(divided(tiers));
  // A threshold moves where the ratio of the tiers beside it is off by the trigger or more.
  const auto trigger = static_cast<double>(builder.settings.trigger);
  auto thresholds = builder.thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const double wanted = static_cast<double>(tiers[i + 1].ratio) / tiers[i].ratio;
    thresholds[i].least_ratio = std::nextafter(wanted - trigger, std::numeric_limits<double>::infinity());
    thresholds[i].most_ratio = std::nextafter(wanted + trigger, 0.0);
  }
  return perdure::detail::tier_division(divided(tiers), thresholds,
                                        {.check_interval = std::max(builder.settings.check_count, 1U),
                                         .degree = static_cast<double>(builder.settings.degree),
                                         .least = 0});
}

}  // namespace

struct memtier_memory {
  explicit memtier_memory(const memtier_builder& builder)
      : tiers(builder.tiers), division(division_of(builder)) {}

  memkind_t choose(std::size_t bytes) noexcept {
    division.note_allocation();
    return tiers[division.tier_for(bytes)].kind;
  }

 private:
  std::vector<tier> tiers;
  perdure::detail::tier_division division;
};

namespace {

bool are_in_order(const std::vector<perdure::detail::tier_boundary>& thresholds) {
  std::size_t previous = 0;
  for (const perdure::detail::tier_boundary& each : thresholds) {
    if (each.least > each.initial || each.initial > each.most || each.least < previous) return false;
    previous = each.most;
  }
  return true;
}

// Not a number and what is negative are told when the tiers are built, as in memkind.
bool are_sound(const dynamic_settings& settings) {
  return settings.trigger >= 0.0F && settings.degree >= 0.0F;
}

bool set_threshold(std::vector<perdure::detail::tier_boundary>& thresholds, std::string_view name,
                   const void* value) {
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (failure != std::errc() || index >= thresholds.size()) return false;
  const std::string_view member(end, static_cast<std::size_t>(name.data() + name.size() - end));
  const std::size_t given = *static_cast<const std::size_t*>(value);
  if (member == "].val") {
    thresholds[index].initial = given;
  } else if (member == "].min") {
    thresholds[index].least = given;
  } else if (member == "].max") {
    thresholds[index].most = given;
  } else {
    return false;
  }
  return true;
}

bool set_property(memtier_builder& builder, std::string_view name, const void* value) {
  constexpr std::string_view prefix = "policy.dynamic_threshold.";
  constexpr std::string_view indexed = "thresholds[";
  if (builder.policy != MEMTIER_POLICY_DYNAMIC_THRESHOLD || !name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.starts_with(indexed)) return set_threshold(builder.thresholds, name.substr(indexed.size()), value);
  if (name == "check_cnt") {
    builder.settings.check_count = *static_cast<const unsigned*>(value);
    return true;
  }
  if (name != "trigger" && name != "degree") return false;
  (name == "trigger" ? builder.settings.trigger : builder.settings.degree) =
      *static_cast<const float*>(value);
  return true;
}

memkind_t kind_for(memtier_memory* memory, std::size_t bytes) noexcept {
  if (memory != nullptr) return memory->choose(bytes);
  errno = EINVAL;
  return nullptr;
}

}  // namespace

extern "C" {

struct memtier_builder* memtier_builder_new(memtier_policy_t policy) {
  if (policy != MEMTIER_POLICY_STATIC_RATIO && policy != MEMTIER_POLICY_DYNAMIC_THRESHOLD) return nullptr;
  return new (std::nothrow) memtier_builder{policy, {}, {}, {}};
}

void memtier_builder_delete(struct memtier_builder* builder) {
  delete builder;
}

int memtier_builder_add_tier(struct memtier_builder* builder, memkind_t kind, unsigned kind_ratio) {
  if (builder == nullptr || kind_ratio == 0 || !is_known(kind)) return -1;
  for (const tier& each : builder->tiers) {
    if (each.kind == kind) return -1;
  }
  try {
    if (!builder->tiers.empty()) builder->thresholds.push_back(default_threshold(builder->thresholds.size()));
    builder->tiers.push_back({kind, kind_ratio});
    return 0;
  } catch (const std::bad_alloc&) {
    // One threshold fewer than tiers.
    builder->thresholds.resize(builder->tiers.empty() ? 0 : builder->tiers.size() - 1);
    return -1;
  }
}

struct memtier_memory* memtier_builder_construct_memtier_memory(struct memtier_builder* builder) {
  if (builder == nullptr || builder->tiers.empty()) return nullptr;
  if (builder->policy == MEMTIER_POLICY_DYNAMIC_THRESHOLD &&
      (builder->tiers.size() < 2 || !are_in_order(builder->thresholds) || !are_sound(builder->settings))) {
    return nullptr;
  }
  try {
    return new memtier_memory(*builder);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void memtier_delete_memtier_memory(struct memtier_memory* memory) {
  delete memory;
}

int memtier_ctl_set(struct memtier_builder* builder, const char* name, const void* val) {
  return builder != nullptr && name != nullptr && val != nullptr && set_property(*builder, name, val) ? 0
                                                                                                      : -1;
}

void* memtier_kind_malloc(memkind_t kind, size_t size) {
  void* result = memkind_malloc(kind, size);
  count_block(kind, result);
  if (memtier_kind_malloc_post != nullptr) memtier_kind_malloc_post(kind, size, &result);
  return result;
}

void* memtier_kind_calloc(memkind_t kind, size_t num, size_t size) {
  void* result = memkind_calloc(kind, num, size);
  count_block(kind, result);
  if (memtier_kind_calloc_post != nullptr) memtier_kind_calloc_post(kind, num, size, &result);
  return result;
}

void* memtier_kind_realloc(memkind_t kind, void* ptr, size_t size) {
  if (ptr == nullptr) return memtier_kind_malloc(kind, size);
  if (size == 0) {
    memtier_kind_free(kind, ptr);
    return nullptr;
  }
  memkind_t const owner = kind != nullptr ? kind : memkind_detect_kind(ptr);
  const std::size_t before = memkind_malloc_usable_size(owner, ptr);
  void* result = memkind_realloc(kind, ptr, size);
  if (result != nullptr) {
    discount(owner, before);
    count_block(owner, result);
  }
  if (memtier_kind_realloc_post != nullptr) memtier_kind_realloc_post(kind, ptr, size, &result);
  return result;
}

int memtier_kind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size) {
  int err = memkind_posix_memalign(kind, memptr, alignment, size);
  if (err == 0) count_block(kind, *memptr);
  if (memtier_kind_posix_memalign_post != nullptr)
    memtier_kind_posix_memalign_post(kind, memptr, alignment, size, &err);
  return err;
}

void memtier_kind_free(memkind_t kind, void* ptr) {
  if (memtier_kind_free_pre != nullptr) memtier_kind_free_pre(&ptr);
  if (ptr == nullptr) return;
  memkind_t const owner = kind != nullptr ? kind : memkind_detect_kind(ptr);
  discount(owner, memkind_malloc_usable_size(owner, ptr));
  memkind_free(kind, ptr);
}

size_t memtier_usable_size(void* ptr) {
  const std::size_t size = memkind_malloc_usable_size(nullptr, ptr);
  if (memtier_kind_usable_size_post != nullptr) memtier_kind_usable_size_post(&ptr, size);
  return size;
}

size_t memtier_kind_allocated_size(memkind_t kind) {
  if (!is_known(kind)) return 0;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, kind->tiered_bytes.load(std::memory_order_relaxed)));
}

void* memtier_malloc(struct memtier_memory* memory, size_t size) {
  memkind_t const kind = kind_for(memory, size);
  return kind != nullptr ? memtier_kind_malloc(kind, size) : nullptr;
}

void* memtier_calloc(struct memtier_memory* memory, size_t num, size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(num, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  memkind_t const kind = kind_for(memory, bytes);
  return kind != nullptr ? memtier_kind_calloc(kind, num, size) : nullptr;
}

void* memtier_realloc(struct memtier_memory* memory, void* ptr, size_t size) {
  return ptr == nullptr ? memtier_malloc(memory, size) : memtier_kind_realloc(nullptr, ptr, size);
}

int memtier_posix_memalign(struct memtier_memory* memory, void** memptr, size_t alignment, size_t size) {
  return memory == nullptr ? EINVAL
                           : memtier_kind_posix_memalign(memory->choose(size), memptr, alignment, size);
}

}  // extern "C"
