// Which of several tiers a block is for: for tiered kinds, and for what allocates by itself.
#include "perdure/detail/tier_division.hpp"

#include <algorithm>

namespace perdure::detail {

tier_division::tier_division(std::span<const divided_tier> tiers) : tiers_(tiers.begin(), tiers.end()) {}

tier_division::tier_division(std::span<const divided_tier> tiers, std::span<const tier_boundary> boundaries,
                             const boundary_steps& steps)
    : tiers_(tiers.begin(), tiers.end()),
      boundaries_(boundaries.begin(), boundaries.end()),
      steps_(steps),
      until_check_(steps.check_interval) {}

std::size_t tier_division::tier_for(std::size_t bytes) const noexcept {
  if (boundaries_.empty()) return farthest_behind();
  std::size_t i = 0;
  while (i < boundaries_.size() && bytes >= boundaries_[i].size.load(std::memory_order_relaxed)) ++i;
  return i;
}

void tier_division::note_allocation() noexcept {
  if (boundaries_.empty() || until_check_.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  until_check_.store(steps_.check_interval, std::memory_order_relaxed);
  for (std::size_t i = 0; i < boundaries_.size(); ++i) move(i);
}

std::vector<std::size_t> tier_division::boundaries() const {
  std::vector<std::size_t> all;
  all.reserve(boundaries_.size());
  for (const boundary& each : boundaries_) all.push_back(each.size.load(std::memory_order_relaxed));
  return all;
}

std::size_t tier_division::farthest_behind() const noexcept {
  std::size_t found = 0;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].share == 0) continue;
    const double filled = static_cast<double>(tiers_[i].bytes->load(std::memory_order_relaxed)) /
                          static_cast<double>(tiers_[i].share);
    if (filled < least) {
      least = filled;
      found = i;
    }
  }
  return found;
}

/// A tier that has too little, compared with the next, gets more sizes; one that has too much, fewer. Several
/// threads may do so at once: a boundary then moves twice, within its bounds.
void tier_division::move(std::size_t index) noexcept {
  boundary& between = boundaries_[index];
  const auto below = static_cast<double>(tiers_[index].bytes->load(std::memory_order_relaxed));
  const auto above = static_cast<double>(tiers_[index + 1].bytes->load(std::memory_order_relaxed));
  if (below + above <= 0) return;
  const double ratio = below > 0 ? above / below : std::numeric_limits<double>::infinity();
  const bool falls = ratio < between.bounds.least_ratio;
  if (!falls && ratio <= between.bounds.most_ratio) return;

  const std::size_t now = between.size.load(std::memory_order_relaxed);
  std::size_t end = falls ? between.bounds.least : between.bounds.most;
  if (falls && index > 0) {
    end = std::max(end, boundaries_[index - 1].size.load(std::memory_order_relaxed));
  } else if (!falls && index + 1 < boundaries_.size()) {
    end = std::min(end, boundaries_[index + 1].size.load(std::memory_order_relaxed));
  }
  if (falls ? end >= now : end <= now) return;
  const std::size_t room = falls ? now - end : end - now;
  // A degree may be of any size: the step is compared before it is made a number of bytes.
  const double wished = static_cast<double>(now) * steps_.degree;
  const std::size_t step = wished < static_cast<double>(room) ? std::clamp(static_cast<std::size_t>(wished),
                                                                           std::min(steps_.least, room), room)
                                                              : room;
  between.size.store(falls ? now - step : now + step, std::memory_order_relaxed);
}

}  // namespace perdure::detail
