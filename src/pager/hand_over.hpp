// Puts the kernel's own mapping of the file in the place of a region, while threads may touch it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/futex.hpp"
#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

class hand_over {
 public:
  /// Returns whether the range is the kernel's by now. Async-signal-safe.
  bool is_done() const noexcept { return state_.load() == done; }
  /// The same, once a hand-over that is under way has ended. Async-signal-safe.
  bool is_done_in_the_end() const noexcept;

  /// Maps the file at the `reserved` bytes from the region's base, those behind the file's pages go. Waits
  /// for another thread that does the same. Throws std::system_error; then the region is as before.
  void run(region_pages& pages, std::size_t reserved, bool shared);
  /// The same in a forked child, which has nothing at that range. Throws std::system_error if something is
  /// there by now.
  static void run_in_child(const region_pages& pages, std::size_t reserved, bool shared);

 private:
  static constexpr std::uint32_t not_begun = 0;
  static constexpr std::uint32_t under_way = 1;
  static constexpr std::uint32_t done = 2;

  void settle(std::uint32_t state) noexcept;

  os::futex_word state_{not_begun};
};

}  // namespace perdure::pager::detail
