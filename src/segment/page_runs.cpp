// Sets of pages, kept as sorted runs.
#include "segment/page_runs.hpp"

#include <algorithm>

namespace perdure::detail {

bool is_normalized(const std::vector<page_run>& runs) noexcept {
  const auto does_not_end_before = [](const page_run& a, const page_run& b) {
    return a.first + a.count >= b.first;
  };
  return std::none_of(runs.begin(), runs.end(), [](const page_run& run) { return run.count == 0; }) &&
         std::adjacent_find(runs.begin(), runs.end(), does_not_end_before) == runs.end();
}

void normalize(std::vector<page_run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const page_run& a, const page_run& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].count == 0) continue;
    if (kept != 0 && runs[i].first <= runs[kept - 1].first + runs[kept - 1].count) {
      page_run& last = runs[kept - 1];
      last.count = std::max(last.first + last.count, runs[i].first + runs[i].count) - last.first;
    } else {
      runs[kept++] = runs[i];
    }
  }
  runs.resize(kept);
}

namespace {

// The first run that ends at `page` or behind it.
auto first_that_ends_at(std::vector<page_run>& runs, std::uint64_t page) {
  return std::lower_bound(runs.begin(), runs.end(), page, [](const page_run& run, std::uint64_t wanted) {
    return run.first + run.count < wanted;
  });
}

}  // namespace

void add_run(std::vector<page_run>& runs, page_run added) {
  if (added.count == 0) return;
  std::uint64_t begin = added.first;
  std::uint64_t end = added.first + added.count;
  const auto first = first_that_ends_at(runs, begin);
  auto last = first;
  for (; last != runs.end() && last->first <= end; ++last) {
    begin = std::min(begin, last->first);
    end = std::max(end, last->first + last->count);
  }
  if (first == last) {
    runs.insert(first, {begin, end - begin});
  } else {
    *first = {begin, end - begin};
    runs.erase(first + 1, last);
  }
}

void remove_run(std::vector<page_run>& runs, page_run removed) {
  if (removed.count == 0) return;
  const std::uint64_t begin = removed.first;
  const std::uint64_t end = removed.first + removed.count;
  auto run = first_that_ends_at(runs, begin + 1);
  if (run == runs.end() || run->first >= end) return;
  const std::uint64_t run_end = run->first + run->count;
  if (run->first < begin && run_end > end) {
    run = runs.insert(run + 1, {end, run_end - end}) - 1;
    run->count = begin - run->first;
    return;
  }
  if (run->first < begin) {
    run->count = begin - run->first;
    ++run;
  }
  auto last = run;
  while (last != runs.end() && last->first + last->count <= end) ++last;
  if (last != runs.end() && last->first < end) *last = {end, last->first + last->count - end};
  runs.erase(run, last);
}

std::vector<page_run> subtract(const std::vector<page_run>& from, const std::vector<page_run>& what) {
  std::vector<page_run> result;
  auto hole = what.begin();
  for (const page_run& run : from) {
    std::uint64_t next = run.first;
    const std::uint64_t end = run.first + run.count;
    while (hole != what.end() && hole->first + hole->count <= next) ++hole;
    for (auto h = hole; h != what.end() && h->first < end; ++h) {
      if (h->first > next) result.push_back({next, h->first - next});
      next = std::max(next, h->first + h->count);
    }
    if (next < end) result.push_back({next, end - next});
  }
  return result;
}

std::vector<page_run> intersect(const std::vector<page_run>& from, page_run where) {
  std::vector<page_run> result;
  const std::uint64_t end = where.first + where.count;
  for (const page_run& run : from) {
    const std::uint64_t first = std::max(run.first, where.first);
    const std::uint64_t last = std::min(run.first + run.count, end);
    if (first < last) result.push_back({first, last - first});
  }
  return result;
}

}  // namespace perdure::detail
