// A kind over several others that divides blocks between them by size.
#include "perdure/tiered_kind.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace perdure {

namespace {

/// Has a cache line of its own, as every thread counts in it.
struct alignas(64) tier {
  kind* memory = nullptr;
  double goal = 0;  // its share of all bytes
  std::atomic<std::int64_t> bytes{0};
  // Blocks smaller than this go to this tier or one before it.
  std::atomic<std::size_t> limit{0};
  std::size_t least_limit = 0;
  std::size_t most_limit = 0;
};

class tiering_allocation final : public kind_allocation {
 public:
  tiering_allocation(std::span<const memory_tier_share> tiers, tiering how, const tiering_options& options)
      : how_(how), options_(options), tiers_(tiers.size()) {
    double sum = 0;
    for (const memory_tier_share& given : tiers) sum += static_cast<double>(given.share);
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      tiers_[i].memory = tiers[i].memory;
      tiers_[i].goal = static_cast<double>(tiers[i].share) / sum;
      tiers_[i].limit = std::numeric_limits<std::size_t>::max();
    }
    for (std::size_t i = 0; i + 1 < tiers.size() && how == tiering::size_threshold; ++i) {
      const size_threshold wanted = threshold(i);
      tiers_[i].limit = wanted.initial;
      tiers_[i].least_limit = wanted.least;
      tiers_[i].most_limit = wanted.most;
    }
  }

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    const std::size_t chosen = how_ == tiering::static_ratio ? farthest_behind() : tier_for(bytes);
    void* block = allocate_in(tiers_[chosen], bytes, alignment);
    for (std::size_t i = 0; block == nullptr && options_.fall_back && i < tiers_.size(); ++i)
      if (i != chosen) block = allocate_in(tiers_[i], bytes, alignment);
    if (how_ == tiering::size_threshold && until_check_.fetch_sub(1, std::memory_order_relaxed) == 1) {
      until_check_.store(options_.check_interval, std::memory_order_relaxed);
      move_thresholds();
    }
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
    if (resized == nullptr) return options_.fall_back ? kind_allocation::reallocate(block, bytes) : nullptr;
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
  std::vector<std::size_t> thresholds() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; how_ == tiering::size_threshold && i + 1 < tiers_.size(); ++i)
      all.push_back(tiers_[i].limit.load(std::memory_order_relaxed));
    return all;
  }

 private:
  size_threshold threshold(std::size_t i) const {
    size_threshold usual;
    if (options_.thresholds.empty()) {
      // Each boundary is 16 times the one before, so that they stay in order while they move.
      usual.initial = usual.initial << std::min<std::size_t>(4 * i, 16);
      usual.least = usual.least << std::min<std::size_t>(4 * i, 16);
      return usual;
    }
    size_threshold wanted = options_.thresholds[i];
    if (wanted.initial == 0) wanted.initial = usual.initial;
    if (wanted.least == 0) wanted.least = std::min(usual.least, wanted.initial);
    if (wanted.most == 0) wanted.most = std::max(usual.most, wanted.initial);
    return wanted;
  }

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

  std::size_t farthest_behind() const noexcept {
    std::size_t found = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < tiers_.size(); ++i) {
      if (tiers_[i].goal <= 0) continue;
      const double filled =
          static_cast<double>(tiers_[i].bytes.load(std::memory_order_relaxed)) / tiers_[i].goal;
      if (filled < least) {
        least = filled;
        found = i;
      }
    }
    return found;
  }

  std::size_t tier_for(std::size_t bytes) const noexcept {
    std::size_t i = 0;
    while (i + 1 < tiers_.size() && bytes >= tiers_[i].limit.load(std::memory_order_relaxed)) ++i;
    return i;
  }

  /// Gives a tier that has too few bytes, compared with the next, more sizes, and one that has too many,
  /// fewer. Several threads may do this at once: then a threshold moves twice, within its bounds.
  void move_thresholds() noexcept {
    for (std::size_t i = 0; i + 1 < tiers_.size(); ++i) {
      tier& t = tiers_[i];
      const auto here = static_cast<double>(t.bytes.load(std::memory_order_relaxed));
      const auto next = static_cast<double>(tiers_[i + 1].bytes.load(std::memory_order_relaxed));
      if (here + next <= 0) continue;
      const double goal = t.goal / (t.goal + tiers_[i + 1].goal);
      const double share = here / (here + next);
      if (std::abs(share - goal) <= options_.tolerance * goal) continue;
      const std::size_t limit = t.limit.load(std::memory_order_relaxed);
      const auto by =
          std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(limit) * options_.degree));
      const std::size_t below = i == 0 ? 0 : tiers_[i - 1].limit.load(std::memory_order_relaxed);
      const std::size_t least = std::max(t.least_limit, below);
      const std::size_t most =
          i + 2 < tiers_.size() ? std::min(t.most_limit, tiers_[i + 1].limit.load(std::memory_order_relaxed))
                                : t.most_limit;
      if (share < goal)
        t.limit.store(std::min(limit + by, std::max(most, limit)), std::memory_order_relaxed);
      else
        t.limit.store(std::max(limit - std::min(limit, by), std::min(least, limit)),
                      std::memory_order_relaxed);
    }
  }

  const tiering how_;
  const tiering_options options_;
  std::vector<tier> tiers_;
  std::atomic<unsigned> until_check_{options_.check_interval};
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
