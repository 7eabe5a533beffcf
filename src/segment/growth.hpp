// How segments grow: the steps, and which parts ask for huge pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <system_error>

namespace perdure::detail {

/// Segment sizes are multiples of this.
inline constexpr std::size_t size_step = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t step) noexcept {
  return (bytes + step - 1) / step * step;
}

/// How far beyond the size asked for a growing segment opens its address space, so that growing is rarely a
/// system call: 64 MiB, or an eighth of what is open already, at most 1 GiB.
constexpr std::size_t growth_step(std::size_t open) noexcept {
  constexpr std::size_t least = std::size_t{64} << 20;
  constexpr std::size_t most = std::size_t{1} << 30;
  const std::size_t share = open / 8 / size_step * size_step;
  return share < least ? least : share > most ? most : share;
}

/// The first part of a segment keeps small pages: a first touch of a huge page clears 2 MiB, which a
/// small heap never gains back.
inline constexpr std::size_t small_page_part = std::size_t{4} << 20;

/// Opens address space so that [0, wanted) is accessible: calls `open_range(offset, bytes)` for at least
/// what is missing after `open`, and moves `open`. Throws std::bad_alloc when the system refuses.
template <class OpenRange>
void open_up_to(std::size_t wanted, std::size_t capacity, std::size_t& open, OpenRange&& open_range) {
  if (wanted <= open) return;
  const std::size_t step = std::max(wanted - open, std::min(growth_step(open), capacity - open));
  try {
    open_range(open, step);
  } catch (const std::system_error&) {
    throw std::bad_alloc();
  }
  open += step;
}

/// Where a segment's anonymous memory is in huge pages.
enum class huge_pages {
  nowhere,
  where_dense,  ///< small pages at first touch, made into huge ones once all of their place is touched
  everywhere,   ///< huge ones at first touch, beyond the first part
};

/// Returns the setting of PERDURE_HUGE_PAGES: "0" for `nowhere`, "1" for `everywhere`; where it is not set,
/// what the segment does by default. `nowhere` if the system allows none. Throws `invalid_argument` where the
/// variable is neither 0 nor 1.
huge_pages huge_pages_wanted(huge_pages by_default);

}  // namespace perdure::detail
