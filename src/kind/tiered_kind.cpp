// A kind that divides what it is asked for among other kinds.
#include "perdure/tiered_kind.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "perdure/detail/tier_division.hpp"

namespace perdure {

namespace {

/// Has a cache line of its own, as every thread counts in it.
struct alignas(64) tier {
  kind* memory = nullptr;
  std::atomic<std::int64_t> bytes{0};
};

size_threshold threshold_after(std::size_t tier, const tiering_options& options) {
  size_threshold usual;
  if (options.thresholds.empty()) {
    // Each boundary 16 times the one before, so that they stay in order while they move apart.
    usual.initial = usual.initial << std::min<std::size_t>(4 * tier, 16);
    usual.least = usual.least << std::min<std::size_t>(4 * tier, 16);
    return usual;
  }
  size_threshold wanted = options.thresholds[tier];
  if (wanted.initial == 0) wanted.initial = usual.initial;
  if (wanted.least == 0) wanted.least = std::min(usual.least, wanted.initial);
  if (wanted.most == 0) wanted.most = std::max(usual.most, wanted.initial);
  return wanted;
}

/// A tier's part of what it and the next have may be off its goal by the tolerance, in parts of the goal:
/// between which ratios of the two that is.
detail::tier_boundary boundary_between(const memory_tier_share& below, const memory_tier_share& above,
                                       const size_threshold& sizes, double tolerance) {
  detail::tier_boundary made{.initial = sizes.initial, .least = sizes.least, .most = sizes.most};
  const auto lower = static_cast<double>(below.share);
  const auto upper = static_cast<double>(above.share);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (lower == 0) {
    made.least_ratio = infinity;
    return made;
  }
  made.least_ratio = std::max(0.0, (upper - tolerance * lower) / (lower * (1 + tolerance)));
  made.most_ratio = tolerance < 1 ? (upper + tolerance * lower) / (lower * (1 - tolerance)) : infinity;
  return made;
}

detail::tier_division division_of(std::span<const memory_tier_share> given, const std::vector<tier>& tiers,
                                  tiering how, const tiering_options& options) {
  std::vector<detail::divided_tier> divided;
  for (std::size_t i = 0; i < given.size(); ++i) divided.push_back({given[i].share, &tiers[i].bytes});
  if (how == tiering::static_ratio) return detail::tier_division(divided);
  std::vector<detail::tier_boundary> boundaries;
  for (std::size_t i = 0; i + 1 < given.size(); ++i)
    boundaries.push_back(
        boundary_between(given[i], given[i + 1], threshold_after(i, options), options.tolerance));
  return detail::tier_division(divided, boundaries,
                               {.check_interval = options.check_interval, .degree = options.degree});
}

class tiering_allocation final : public kind_allocation {
 public:
  tiering_allocation(std::span<const memory_tier_share> tiers, tiering how, const tiering_options& options)
      : fall_back_(options.fall_back),
        tiers_(tiers.size()),
        division_(division_of(tiers, tiers_, how, options)) {
    for (std::size_t i = 0; i < tiers.size(); ++i) tiers_[i].memory = tiers[i].memory;
  }

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    const std::size_t chosen = division_.tier_for(bytes);
    void* block = allocate_in(tiers_[chosen], bytes, alignment);
    for (std::size_t i = 0; block == nullptr && fall_back_ && i < tiers_.size(); ++i)
      if (i != chosen) block = allocate_in(tiers_[i], bytes, alignment);
    division_.note_allocation();
    return block;
  }

  void deallocate(void* block) noexcept override {
    tier* const t = tier_of(block);
    if (t == nullptr) return;
    count(*t, -static_cast<std::int64_t>(t->memory->usable_size(block)));
    t->memory->free(block);
  }

  void* reallocate(void* block, std::size_t bytes) noexcept override {
    tier* const t = tier_of(block);
    if (t == nullptr) return nullptr;
    const auto before = static_cast<std::int64_t>(t->memory->usable_size(block));
    void* const resized = t->memory->realloc(block, bytes);
    if (resized == nullptr) return fall_back_ ? kind_allocation::reallocate(block, bytes) : nullptr;
    count(*t, static_cast<std::int64_t>(t->memory->usable_size(resized)) - before);
    return resized;
  }

  std::size_t usable_size(const void* block) const noexcept override {
    const tier* const t = tier_of(block);
    return t == nullptr ? 0 : t->memory->usable_size(block);
  }
  bool owns(const void* block) const noexcept override { return tier_of(block) != nullptr; }

  memory_size size() const override {
    memory_size sum;
    for (const tier& t : tiers_) {
      const memory_size one = t.memory->size();
      sum.total += one.total;
      sum.free += one.free;
    }
    return sum;
  }
  kind_stats stats() const override {
    kind_stats sum;
    for (const tier& t : tiers_) {
      const kind_stats one = t.memory->stats();
      sum.used_bytes += one.used_bytes;
      sum.free_bytes += one.free_bytes;
      sum.metadata_bytes += one.metadata_bytes;
      sum.committed_bytes += one.committed_bytes;
      sum.capacity_bytes += one.capacity_bytes;
      sum.blocks += one.blocks;
    }
    return sum;
  }
  bool trim() override {
    bool any = false;
    for (tier& t : tiers_) any = t.memory->trim() || any;
    return any;
  }

  std::vector<std::uint64_t> bytes() const {
    std::vector<std::uint64_t> all;
    all.reserve(tiers_.size());
    for (const tier& t : tiers_)
      all.push_back(
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, t.bytes.load(std::memory_order_relaxed))));
    return all;
  }
  std::vector<std::size_t> thresholds() const { return division_.boundaries(); }

 private:
  static void count(tier& t, std::int64_t bytes) noexcept {
    t.bytes.fetch_add(bytes, std::memory_order_relaxed);
  }

  void* allocate_in(tier& t, std::size_t bytes, std::size_t alignment) noexcept {
    void* block = nullptr;
    if (alignment <= 16)
      block = t.memory->malloc(bytes);
    else if (t.memory->posix_memalign(&block, alignment, bytes) != 0)
      return nullptr;
    if (block != nullptr) count(t, static_cast<std::int64_t>(t.memory->usable_size(block)));
    return block;
  }

  const tier* tier_of(const void* block) const noexcept {
    const heap* const found = heap::containing(block);
    for (const tier& t : tiers_)
      if (found != nullptr && t.memory->memory() == found) return &t;
    return nullptr;
  }
  tier* tier_of(const void* block) noexcept { return const_cast<tier*>(std::as_const(*this).tier_of(block)); }

  const bool fall_back_;
  std::vector<tier> tiers_;
  detail::tier_division division_;
};

std::shared_ptr<const tiering_allocation> tiering_of(const kind& tiered) {
  auto found = std::dynamic_pointer_cast<const tiering_allocation>(tiered.allocation());
  if (found == nullptr)
    throw error(errc::wrong_type, "kind " + tiered.name() + " divides nothing among tiers");
  return found;
}

[[noreturn]] void refuse(const std::string& why) {
  throw error(errc::invalid_argument, why);
}

}  // namespace

std::vector<std::uint64_t> bytes_of_tiers(const kind& tiered) {
  return tiering_of(tiered)->bytes();
}
std::vector<std::size_t> thresholds_of_tiers(const kind& tiered) {
  return tiering_of(tiered)->thresholds();
}

std::unique_ptr<kind> create_tiered(std::span<const memory_tier_share> tiers, tiering how,
                                    const tiering_options& options, const kind_options& named) {
  if (tiers.empty()) refuse("tiering needs a tier");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (tiers[i].memory == nullptr) refuse("tier " + std::to_string(i) + " has no kind");
    if (tiers[i].memory->memory() == nullptr)
      refuse("tier " + std::to_string(i) +
             " is a kind that hands out blocks by itself: they are not found by address");
    for (std::size_t j = 0; j < i; ++j)
      if (tiers[i].memory == tiers[j].memory)
        refuse("tiers " + std::to_string(j) + " and " + std::to_string(i) + " are the same kind");
    if (__builtin_add_overflow(sum, tiers[i].share, &sum))
      refuse("the shares add up to more than 64 bits hold");
  }
  if (sum == 0) refuse("no tier has a share");
  if (how == tiering::size_threshold) {
    if (tiers.size() < 2) refuse("a threshold of size needs two tiers");
    if (!options.thresholds.empty() && options.thresholds.size() + 1 != tiers.size())
      refuse("there must be one threshold fewer than tiers, or none");
    std::size_t last = 0;
    for (const size_threshold& t : options.thresholds) {
      if (t.initial != 0 && ((t.least != 0 && t.least > t.initial) || (t.most != 0 && t.most < t.initial)))
        refuse("a threshold must lie between its bounds");
      if (t.initial != 0 && t.initial <= last) refuse("thresholds must rise from tier to tier");
      last = t.initial;
    }
    if (options.check_interval == 0) refuse("the interval of checks must be 1 or more");
    if (!(options.tolerance >= 0) || !(options.degree > 0 && options.degree < 1))
      refuse("the tolerance must not be negative, and the degree lie between 0 and 1");
  }
  return kind::create(std::make_shared<tiering_allocation>(tiers, how, options), named);
}

}  // namespace perdure
