// The page replacement policy: which page leaves memory next.
#pragma once

#include <cstddef>

#include "pager/page_queues.hpp"
#include "pager/refault_clock.hpp"

namespace perdure::pager::detail {

struct replacement {
  /// Both in pages.
  replacement(std::size_t all, std::size_t budget) : queues(all, budget), clock(budget) {}

  page_queues queues;   ///< the order in which pages leave
  refault_clock clock;  ///< how often a page that came back soon is passed over
};

}  // namespace perdure::pager::detail
