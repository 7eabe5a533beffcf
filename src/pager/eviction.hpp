// Takes pages out of memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "pager/page_budget.hpp"
#include "pager/page_cleaner.hpp"
#include "pager/region_pages.hpp"
#include "pager/replacement.hpp"

namespace perdure::pager::detail {

struct eviction_result {
  std::size_t evicted = 0;
  std::optional<failed_transfer> failed;
};

/// Why pages are to leave: a thread that faults needs their room, the evictor keeps room free, or the program
/// said that it does not need them.
enum class eviction_cause { touch, evictor, advice };

/// All functions need signals blocked, and are async-signal-safe.
class eviction {
 public:
  eviction(region_pages& pages, page_cleaner& cleaner, replacement& order, page_budget& budget) noexcept
      : pages_(pages), cleaner_(cleaner), order_(order), budget_(budget) {}

  /// Takes out pages whose turn it is, up to `wanted` of them and what a scratch has room for. In a region
  /// that writes in turns, `touch` takes only clean ones.
  eviction_result evict(std::size_t wanted, scratch& own, eviction_cause cause) noexcept;

  /// Takes out pages that the caller owns, clean ones as `evicting` and dirty ones as `writing`, and adds to
  /// the result. They lie in `own.victims`, from its beginning on.
  void expel(std::size_t owned, scratch& own, eviction_cause cause, eviction_result& result) noexcept;

 private:
  std::size_t choose(std::span<const page_number> candidates, bool may_write, scratch& own) noexcept;
  std::size_t clean(std::size_t owned, scratch& own, bool are_queued, eviction_result& result) noexcept;
  std::size_t write_dirty(std::size_t dirty, std::size_t leaving, scratch& own, bool are_queued,
                          eviction_result& result) noexcept;
  void discard(std::span<const page_number> sorted, scratch& own) noexcept;

  region_pages& pages_;
  page_cleaner& cleaner_;
  replacement& order_;
  page_budget& budget_;
};

}  // namespace perdure::pager::detail
