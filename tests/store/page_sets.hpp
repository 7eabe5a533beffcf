// Runs of pages as sets of pages, for tests that compare with a model.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "segment/page_runs.hpp"
#include "support/random_stream.hpp"

namespace perdure::store {

/// Number of pages in the models.
inline constexpr std::uint64_t page_count = 24;

using page_set = std::set<std::uint64_t>;

inline page_set pages_in(const std::vector<detail::page_run>& runs) {
  page_set pages;
  for (const detail::page_run& run : runs)
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) pages.insert(page);
  return pages;
}

inline std::vector<detail::page_run> runs_of(const page_set& pages) {
  std::vector<detail::page_run> runs;
  for (const std::uint64_t page : pages) runs.push_back({page, 1});
  detail::normalize(runs);
  return runs;
}

/// Each of the pages from `first` to before `end`, with one chance in `n`.
inline page_set some_pages(random_stream& random, std::uint64_t first, std::uint64_t end, std::uint64_t n) {
  page_set pages;
  for (std::uint64_t page = first; page < end; ++page)
    if (random.one_in(n)) pages.insert(page);
  return pages;
}

inline void take_out(page_set& from, const page_set& what) {
  for (const std::uint64_t page : what) from.erase(page);
}

}  // namespace perdure::store
