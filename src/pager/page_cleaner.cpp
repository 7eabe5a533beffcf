// Writes dirty pages: which of them the kernel protects by one call, and what becomes of them afterwards.
#include "pager/page_cleaner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace perdure::pager::detail {

namespace {

// Between two runs of an area lies a page at least.
constexpr std::size_t most_runs_of_area = pages_of_area / 2;

// A page that is pinned may be written to by a system call, which could not wait.
bool can_be_cleaned(page_word seen) noexcept {
  return seen.state() == page_state::dirty && seen.pins() == 0;
}

// A page that will be passed over when its turn comes would soon be dirty again.
bool is_worth_cleaning(page_word seen) noexcept {
  return can_be_cleaned(seen) && !seen.has_chance();
}

}  // namespace

bool page_cleaner::protect(page_transfer& run) noexcept {
  run.memory = pages_.faults.content(pages_.address_of(run.first));
  run.failed.reset();
  const int refused = pages_.protect({run.first, run.count});
  run.is_protected = refused == 0;
  if (!run.is_protected) run.failed = pages_.failure_at(run.first, failure::operation::write, refused);
  return run.is_protected;
}

void page_cleaner::transfer(std::span<page_transfer> runs, scratch& own) noexcept {
  if (runs.empty()) return;
  pages_.source.write_all(runs, own.io, own.requests);
  for (const page_transfer& run : runs)
    if (!run.failed) count(own.events.pages_written, run.count);
}

// Claims and protects the dirty pages of an area, and adds them to the runs to be written.
//
// Each time the kernel protects pages it interrupts all processors, so that they forget what they know of
// these pages. Hence it is asked once for as many pages as can be had. This thread owns what lies between the
// dirty pages too meanwhile, so that none of it becomes writable just before it is protected. Dirty pages in
// between are written though they are not wanted: that costs less than another call of the kernel.
std::optional<failed_transfer> page_cleaner::take_dirty(page_span area, wanted which, scratch& own,
                                                        std::size_t& runs) noexcept {
  const auto is_wanted = which == wanted::all ? can_be_cleaned : is_worth_cleaning;
  std::size_t end = area.count;
  while (end != 0 && !is_wanted(pages_[area.first + end - 1].read())) --end;
  std::optional<failed_transfer> failed;
  for (std::size_t first = 0; first < end;) {
    const stretch taken = claim_stretch(area, first, end, which, own);
    page_transfer dirty{static_cast<page_number>(area.first + first), taken.dirty_end - first};
    const bool is_protected = dirty.count == 0 || protect(dirty);
    if (!is_protected) failed = dirty.failed;
    collect(area, taken, is_protected, own, runs);
    first = std::max(taken.end, first + 1);
  }
  return failed;
}

// Claims pages from `first` on until there is one that cannot be had, and notes in `own.states` what they
// were.
page_cleaner::stretch page_cleaner::claim_stretch(page_span area, std::size_t first, std::size_t end,
                                                  wanted which, scratch& own) noexcept {
  const auto is_wanted = which == wanted::all ? can_be_cleaned : is_worth_cleaning;
  stretch taken{first, first, first};
  for (; taken.end < end; ++taken.end) {
    page& one = pages_[area.first + taken.end];
    const page_word seen = one.read();
    own.states[taken.end] = seen.state();
    const bool is_between = taken.end != first;
    if (is_between ? can_be_cleaned(seen) : is_wanted(seen)) {
      if (!one.claim(seen, page_state::writing)) break;
      taken.dirty_end = taken.end + 1;
    } else {
      // Where protecting makes a page's content readable elsewhere, one that is absent must not be.
      const bool can_be_owned = seen.state() == page_state::clean ||
                                (seen.state() == page_state::absent && !pages_.faults.hides_protected());
      if (!is_between || !can_be_owned || !one.claim(seen, page_state::loading)) break;
    }
  }
  return taken;
}

// Sorts what was claimed: dirty pages that are protected now become runs to be written, all others are let
// go.
void page_cleaner::collect(page_span area, const stretch& taken, bool is_protected, scratch& own,
                           std::size_t& runs) noexcept {
  const auto& before = own.states;
  for (std::size_t i = taken.first; i < taken.end; ++i) {
    const auto number = static_cast<page_number>(area.first + i);
    if (before[i] != page_state::dirty || !is_protected) {
      // What lies between must not become accessible.
      if (before[i] == page_state::dirty) pages_.unprotect({number, 1});
      pages_[number].settle(before[i]);
      continue;
    }
    const bool spills = pages_.source.spills(number);
    if (i != taken.first && before[i - 1] == page_state::dirty && own.writes[runs - 1].spilled == spills &&
        own.writes[runs - 1].count < most_pages_at_once) {
      ++own.writes[runs - 1].count;
    } else {
      std::byte* const content = pages_.faults.content(pages_.address_of(number));
      own.writes[runs++] = {number, 1, spills, content, std::nullopt, true};
    }
  }
}

// Writes the runs that were taken, and lets go of their pages. Returns the first failure.
std::optional<failed_transfer> page_cleaner::write_taken(std::size_t runs, scratch& own) noexcept {
  std::optional<failed_transfer> first_failure;
  transfer({own.writes.data(), runs}, own);
  for (const page_transfer& run : std::span(own.writes.data(), runs)) {
    const std::uint32_t spilled = run.spilled ? page_word::spilled_bit : 0;
    if (run.failed && !first_failure) first_failure = run.failed;
    // A page that was pinned is a run of its own, and not protected: a system call may be writing to it, and
    // could not wait. It stays dirty, so whatever that call writes goes to disk next time.
    if (run.failed && run.is_protected) pages_.unprotect({run.first, run.count});
    for (std::size_t i = 0; i < run.count; ++i) {
      if (run.failed || !run.is_protected) {
        pages_[run.first + i].settle(page_state::dirty);
      } else {
        pages_[run.first + i].settle(page_state::clean, {0, spilled});
      }
    }
  }
  return first_failure;
}

std::optional<failed_transfer> page_cleaner::clean_areas_of(std::span<const page_number> victims,
                                                            scratch& own) noexcept {
  // Threads that need room wait until this is done. What is left over is written page by page as it leaves.
  const std::size_t most = 2 * victims.size();
  const std::size_t open = pages_.source.open_pages();
  std::size_t runs = 0;
  std::size_t pages = 0;
  std::optional<failed_transfer> last_failure;
  const auto keep = [&last_failure](const std::optional<failed_transfer>& failed) {
    if (failed) last_failure = failed;
  };
  for (const page_number number : victims) {
    if (pages >= most || last_failure) break;
    if (!is_worth_cleaning(pages_[number].read())) continue;
    const std::size_t first = number / pages_of_area * pages_of_area;
    const page_span area{static_cast<page_number>(first), std::min(pages_of_area, open - first)};
    const std::size_t before = runs;
    keep(take_dirty(area, wanted::cold, own, runs));
    for (std::size_t i = before; i < runs; ++i) pages += own.writes[i].count;
    if (runs + most_runs_of_area > own.writes.size()) keep(write_taken(std::exchange(runs, 0), own));
  }
  keep(write_taken(runs, own));
  return last_failure;
}

std::optional<failed_transfer> page_cleaner::clean_all() noexcept {
  const scratch_use own(pages_.scratches);
  std::optional<failed_transfer> first_failure;
  const auto keep = [&](const std::optional<failed_transfer>& failed) {
    if (failed && !first_failure) first_failure = failed;
  };
  std::size_t runs = 0;
  const auto write_runs = [&] { keep(write_taken(std::exchange(runs, 0), *own)); };
  const std::size_t all = pages_.source.pages();
  for (std::size_t first = 0; first < all; first += pages_of_area) {
    const page_span area{static_cast<page_number>(first), std::min(pages_of_area, all - first)};
    keep(take_dirty(area, wanted::all, *own, runs));
    if (runs + most_runs_of_area > own->writes.size()) write_runs();
  }
  write_runs();
  // Pages that other threads owned meanwhile, and pinned ones.
  for (std::size_t i = 0; i < all;) {
    const auto number = static_cast<page_number>(i);
    const page_word seen = pages_[number].read();
    if (seen.state() == page_state::writing || seen.state() == page_state::dirtying) {
      // Another thread evicts the page, and may fail, or makes it writable. Nobody may have to wait for pages
      // of this thread meanwhile.
      write_runs();
      pages_[number].wait(seen);
      continue;
    }
    ++i;
    if (seen.state() != page_state::dirty) continue;
    if (!pages_[number].claim(seen, page_state::writing)) {
      --i;
      continue;
    }
    page_transfer one{number, 1, pages_.source.spills(number), pages_.address_of(number)};
    if (seen.pins() == 0 && !protect(one)) {
      keep(one.failed);
      pages_[number].settle(page_state::dirty);
      continue;
    }
    own->writes[runs++] = one;
    if (runs == own->writes.size()) write_runs();
  }
  write_runs();
  return first_failure;
}

}  // namespace perdure::pager::detail
