// Brings pages into memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "os/memory_faults.hpp"
#include "pager/evictor.hpp"
#include "pager/page_budget.hpp"
#include "pager/region_pages.hpp"
#include "pager/replacement.hpp"

namespace perdure::pager::detail {

/// All functions need signals blocked, and are async-signal-safe.
class page_loader {
 public:
  page_loader(region_pages& pages, evictor& room, page_budget& budget, replacement& order) noexcept
      : pages_(pages), room_(room), budget_(budget), order_(order) {}

  /// Reads a run of pages that the caller has claimed, all in the same place, and installs it. `touched` is
  /// one of them. The pages are the caller's no longer, in any case.
  std::optional<failed_transfer> load(page_span run, page_number touched, os::touch how,
                                      scratch& own) noexcept;

  /// The same for several runs, together no more than the buffer holds. Returns the failure of the run with
  /// the page touched; if none was touched, the first failure.
  std::optional<failed_transfer> load_all(std::span<page_transfer> runs, std::optional<page_number> touched,
                                          os::touch how, scratch& own) noexcept;

 private:
  std::optional<failed_transfer> show(page_span run, std::optional<page_number> touched, os::touch how,
                                      const std::byte* from, scratch& own) noexcept;
  int install(page_span run, page_span writable, const std::byte* from) noexcept;
  void settle(page_span run, page_span writable, std::optional<page_number> touched, scratch& own) noexcept;
  void abandon(page_span run) noexcept;

  region_pages& pages_;
  evictor& room_;
  page_budget& budget_;
  replacement& order_;
};

}  // namespace perdure::pager::detail
