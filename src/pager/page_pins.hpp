// Keeps pages in memory for system calls, which cannot wait for the pager.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "os/memory_faults.hpp"
#include "pager/fault_handler.hpp"
#include "pager/page_budget.hpp"
#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

/// Pages of the budget that are left to threads that touch memory when all else is pinned.
inline constexpr std::size_t least_unpinned = least_budget / page_size;

class page_pins {
 public:
  page_pins(region_pages& pages, fault_handler& faults, const page_budget& budget) noexcept
      : pages_(pages), faults_(faults), budget_(budget) {}

  enum class outcome { pinned, failed, no_room };
  struct result {
    outcome what = outcome::pinned;
    std::optional<failed_transfer> failed;
  };
  /// Brings pages in and keeps them, all or none. Signals must be blocked.
  result pin(page_span pages, os::touch how) noexcept;
  /// Async-signal-safe.
  void unpin(page_span pages) noexcept;

 private:
  std::optional<failed_transfer> pin_one(page_number number, os::touch how, bool& is_first) noexcept;

  region_pages& pages_;
  fault_handler& faults_;
  const page_budget& budget_;
  std::atomic<std::size_t> pinned_{0};  // pages
};

}  // namespace perdure::pager::detail
