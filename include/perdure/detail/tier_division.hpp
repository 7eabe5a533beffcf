// Which of several tiers of memory a block is for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace perdure::detail {

/// One of the tiers among which blocks are divided.
struct divided_tier {
  std::uint64_t share = 1;  ///< share of the bytes in use, in proportion to the shares of the others
  /// Bytes in use now. The allocating caller counts them; must outlive the division.
  const std::atomic<std::int64_t>* bytes = nullptr;
};

/// Between a tier and the next: smaller blocks are for the tiers below.
struct tier_boundary {
  std::size_t initial = 1024;
  std::size_t least = 64;  ///< it never goes below
  std::size_t most = std::size_t{64} << 20;
  /// It stays where it is while the next tier's bytes are at least this many times those of the tier below it
  /// and at most that many times. (As many times as infinity, where the tier below has none.)
  double least_ratio = 0;
  double most_ratio = std::numeric_limits<double>::infinity();
};

struct boundary_steps {
  unsigned check_interval = 64;  ///< allocations until the ratios are looked at again; 1 or more
  double degree = 0.15;  ///< by what part a boundary moves where its ratio is not right; any, if not negative
  std::size_t least = 1;  ///< bytes that it moves at least
};

/// Divides blocks among tiers: by a static ratio, each block being for the tier that is farthest behind its
/// share; or by size, with boundaries that move so that ratios come about. It allocates nothing.
///
/// Thread safety: all functions may be called from any thread at once.
class tier_division {
 public:
  /// By a static ratio. There must be a tier; those with no share are left out.
  explicit tier_division(std::span<const divided_tier> tiers);
  /// By size. The tiers are in the order of the sizes they are for, and have one boundary fewer. The
  /// boundaries must not fall from one to the next, and each lies between its own bounds.
  tier_division(std::span<const divided_tier> tiers, std::span<const tier_boundary> boundaries,
                const boundary_steps& steps);

  /// The index of the tier that a block of this size is for. O(tiers).
  std::size_t tier_for(std::size_t bytes) const noexcept;
  /// To be told at each allocation: now and then the boundaries move.
  void note_allocation() noexcept;
  /// The boundaries as they are now; none for a static ratio. Throws `std::bad_alloc`.
  std::vector<std::size_t> boundaries() const;

 private:
  struct boundary {
    explicit boundary(const tier_boundary& given) : bounds(given), size(given.initial) {}
    tier_boundary bounds;
    std::atomic<std::size_t> size;
  };

  std::size_t farthest_behind() const noexcept;
  void move(std::size_t index) noexcept;

  std::vector<divided_tier> tiers_;
  std::vector<boundary> boundaries_;  // none: by a static ratio
  boundary_steps steps_;
  std::atomic<unsigned> until_check_;
};

}  // namespace perdure::detail
