// Pages that are read together with a touched page, and pages that are requested ahead of it.
#pragma once

#include <atomic>
#include <cstddef>

#include "pager/background_readers.hpp"
#include "pager/density_detector.hpp"
#include "pager/page_claims.hpp"
#include "pager/page_loader.hpp"
#include "pager/region_pages.hpp"
#include "pager/stream_detector.hpp"

namespace perdure::pager::detail {

/// All functions but `start` and `stop` need signals blocked, and are async-signal-safe.
class read_ahead {
 public:
  /// `budget` in pages. Throws std::system_error.
  read_ahead(region_pages& pages, page_loader& loader, std::size_t budget);

  /// Starts the background readers.
  void start() noexcept { readers_.start(); }
  void stop() noexcept { readers_.stop(); }

  /// Whether a touch may bring in more than its page, as the program wishes.
  void allow(bool allowed) noexcept { is_allowed_.store(allowed, std::memory_order_relaxed); }

  /// How a thread got to the page that it touches.
  struct approach {
    bool reads_ahead = false;
    stream along;
  };
  approach approach_to(page_number touched) const noexcept;

  /// Claims what is to come in with the page touched, which the caller has claimed. That page is in the first
  /// run.
  claimed_reads claim_around(page_number touched, const approach& how, scratch& own) noexcept;
  /// The touch brought in this run, its page first among others.
  void brought_in(page_span run, const approach& how) noexcept;
  /// A thread has to wait for a page that is on its way.
  void awaited(page_number page) noexcept;

 private:
  std::size_t window_of(const stream& found) const noexcept;
  bool asks_ahead(const stream& found) const noexcept;
  bool ask_ahead(const stream& found, page_number next, page_number touched) noexcept;

  region_pages& pages_;
  const std::size_t most_together_;  // pages that one touch may bring in
  const std::size_t most_asked_;     // pages that the readers are asked for in one go
  stream_detector streams_;
  density_detector density_;
  std::atomic<bool> is_allowed_{true};
  background_readers readers_;
};

}  // namespace perdure::pager::detail
