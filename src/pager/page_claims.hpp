// Claims absent pages that are to be read together.
#pragma once

#include <cstddef>

#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

/// Pages claimed so far: the first of a scratch's `reads`, and their pages.
struct claimed_reads {
  std::size_t runs = 0;
  std::size_t pages = 0;
};

// All are async-signal-safe. The pages claimed are `loading` then, and in the same place as those they
// follow: in the file, or where pages are spilled to.

/// Claims up to `most` pages that follow the page `first`, which the caller owns. Returns how many.
std::size_t claim_absent_after(region_pages& pages, page_number first, std::size_t most) noexcept;

/// The same of pages that `last` follows.
std::size_t claim_absent_before(region_pages& pages, page_number last, std::size_t most) noexcept;

/// Claims those of `rest` that are absent, from its start on, in runs of up to `longest` pages, until `most`
/// pages are claimed. `rest` is what was not looked at.
void claim_absent(region_pages& pages, page_span& rest, std::size_t most, std::size_t longest, scratch& own,
                  claimed_reads& claimed) noexcept;

}  // namespace perdure::pager::detail
