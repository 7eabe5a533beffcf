// A kind that divides what it is asked for among other kinds: memory tiering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/kind.hpp>
#include <span>
#include <vector>

namespace perdure {

/// One tier of a tiered kind.
struct memory_tier_share {
  kind* memory = nullptr;   ///< must outlive the tiered kind
  std::uint64_t share = 1;  ///< share of the bytes in use, in proportion to those of the others
};

/// The way in which blocks are divided among tiers.
enum class tiering {
  /// Each block goes to the tier that is farthest behind its share.
  static_ratio,
  /// Blocks smaller than a threshold go to the first tier, larger ones to the next; thresholds move so that
  /// the shares come about. Tiers in the order of the sizes they are for.
  size_threshold,
};

/// The threshold between each two tiers, in bytes of a block. Zero: the default.
struct size_threshold {
  /// The threshold at the beginning.
  std::size_t initial = 1024;
  std::size_t least = 64;  ///< the threshold never goes below
  /// The threshold never goes above.
  std::size_t most = std::size_t{64} << 20;
};

/// Options of a tiered kind.
struct tiering_options {
  std::vector<size_threshold>
      thresholds{};              ///< one fewer than tiers; empty: defaults, each 16 times the last
  unsigned check_interval = 64;  ///< allocations until the shares are looked at again
  double tolerance = 0.05;       ///< how far, in parts of its goal, a share may be off
  double degree = 0.15;          ///< by what part a threshold moves then
  bool fall_back = true;         ///< whether the other tiers are tried when the chosen one has no memory
};

/// Makes a kind that divides what it is asked for among other kinds. Free its blocks through it, or the
/// shares go wrong: what `kind::free_anywhere` frees is counted as in use. Throws `invalid_argument` for no
/// tiers, the same one twice, shares of zero in all, and options outside their bounds.
std::unique_ptr<kind> create_tiered(std::span<const memory_tier_share> tiers, tiering how,
                                    const tiering_options& options = {},
                                    const kind_options& kind_options = {});

/// Returns the bytes in use of each tier, as handed out through the tiered kind. Throws `wrong_type` for any
/// other kind.
std::vector<std::uint64_t> bytes_of_tiers(const kind& tiered);
/// Returns the thresholds between the tiers as they are now; none for static ratios. Throws `wrong_type` for
/// any other kind.
std::vector<std::size_t> thresholds_of_tiers(const kind& tiered);

}  // namespace perdure
