// Sets of pages, kept as sorted runs that neither touch nor overlap.
#pragma once

#include <vector>

#include "segment/segment.hpp"

namespace perdure::detail {

bool is_normalized(const std::vector<page_run>& runs) noexcept;

/// Sorts the runs and joins those that touch or overlap; empty ones go.
void normalize(std::vector<page_run>& runs);

/// Adds pages to runs that are normalized, and stay so, or takes them out. Quick where there are many runs.
void add_run(std::vector<page_run>& runs, page_run added);
void remove_run(std::vector<page_run>& runs, page_run removed);

/// The pages of `from` that are not in `what`; both normalized, and so is the result.
std::vector<page_run> subtract(const std::vector<page_run>& from, const std::vector<page_run>& what);

/// The pages of `from` that are in `where`; normalized like `from`.
std::vector<page_run> intersect(const std::vector<page_run>& from, page_run where);

}  // namespace perdure::detail
