// How changed pages get to disk: when their turn to leave comes, ahead of that, and when the program asks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "pager/budgeted_mapping.hpp"

namespace perdure::pager::detail {

namespace {

// A page that is pinned may be stored to by a system call, which could not wait.
bool can_be_cleaned(page_word seen) noexcept {
  return seen.state() == page_state::dirty && seen.pins() == 0;
}

// What is passed over when its turn comes would soon be dirty again.
bool is_worth_cleaning(page_word seen) noexcept {
  return can_be_cleaned(seen) && !seen.has_chance();
}

}  // namespace

// Writes those that are dirty. What may leave memory then comes first in `owned`; how many, is returned.
std::size_t budgeted_mapping::clean(std::span<const page_number> owned, scratch& own, bool are_queued,
                                    eviction& result) noexcept {
  std::size_t leaving = 0;
  std::size_t dirty = 0;
  // Those that are clean go to the front; the dirty ones behind them stay in their order.
  for (const page_number number : owned) {
    if (pages_[number].read().state() == page_state::evicting) {
      own.victims[leaving++] = number;
    } else {
      own.dirty[dirty++] = number;
    }
  }
  std::size_t runs = 0;
  for (std::size_t i = 0; i < dirty; ++i) {
    const page_number number = own.dirty[i];
    const bool spills = file_.spills(number);
    if (runs != 0 && own.runs[runs - 1].first + own.runs[runs - 1].count == number &&
        own.runs[runs - 1].spilled == spills) {
      ++own.runs[runs - 1].count;
    } else {
      own.runs[runs++] = {number, 1, spills};
    }
  }
  std::size_t held = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    if (hold_stores(own.runs[i])) {
      ++held;
    } else {
      result.failed = own.runs[i].failed;
    }
  }
  // Almost always all; a run that could not be held must not be written.
  if (held == runs) write_held({own.runs.data(), runs}, own);

  const auto put_back = [&](page_number number, page_state state, settling change) {
    const page_word before = pages_[number].settle(state, change);
    if (are_queued) queues_.push(number, before.is_hot());
  };
  for (const page_transfer& run : std::span(own.runs.data(), runs)) {
    const bool is_written = held == runs && !run.failed;
    if (!is_written) {
      // Stores were held while it was written, or while others were.
      faults_->protect(address_of(run.first), run.count * page_size, false);
      if (run.failed) result.failed = run.failed;
    }
    const std::uint32_t spilled = run.spilled ? page_word::spilled_bit : 0;
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto number = static_cast<page_number>(run.first + i);
      if (!is_written) {
        put_back(number, page_state::dirty, {});
      } else if (pages_[number].go_on_unless_awaited(page_state::evicting, spilled)) {
        own.victims[leaving++] = number;
      } else {
        put_back(number, page_state::clean, {0, spilled});
        count(own.events.rescues);
      }
    }
  }
  std::sort(own.victims.begin(), own.victims.begin() + static_cast<std::ptrdiff_t>(leaving));
  return leaving;
}

// The run is being written by this thread. From here on a store to it is a fault, which waits; so what is
// written is what is in memory until then.
bool budgeted_mapping::hold_stores(page_transfer& run) noexcept {
  run.memory = faults_->content(address_of(run.first));
  run.failed.reset();
  const int refused = faults_->protect(address_of(run.first), run.count * page_size, true);
  run.held = refused == 0;
  if (run.held) return true;
  run.failed = failed_transfer{failure::operation::write, file_.offset_of(run.first), refused};
  return false;
}

void budgeted_mapping::write_held(std::span<page_transfer> runs, scratch& own) noexcept {
  if (runs.empty()) return;
  file_.write_all(runs, own.io, own.requests);
  for (const page_transfer& run : runs)
    if (!run.failed) count(own.events.pages_written, run.count);
}

// Takes the dirty pages of an area and holds stores to them; they are added to the runs to be written. Each
// time the kernel protects pages it makes all processors forget what they know of them, so it is asked once
// for as many as can be had. What lies between the dirty pages is owned too meanwhile, that none of it
// becomes writable just before it is protected; what is dirty there is taken though it is not wanted, as that
// costs less than another call.
std::optional<failed_transfer> budgeted_mapping::take_dirty(page_span area, taking what, scratch& own,
                                                            std::size_t& runs) noexcept {
  const auto is_wanted = what == taking::all ? can_be_cleaned : is_worth_cleaning;
  std::size_t end = area.count;
  while (end != 0 && !is_wanted(pages_[area.first + end - 1].read())) --end;
  std::optional<failed_transfer> failed;
  auto& before = own.states;
  for (std::size_t first = 0; first < end;) {
    std::size_t taken_end = first;
    std::size_t dirty_end = first;
    for (; taken_end < end; ++taken_end) {
      page& one = pages_[area.first + taken_end];
      const page_word seen = one.read();
      before[taken_end] = seen.state();
      const bool is_between = taken_end != first;
      if (is_between ? can_be_cleaned(seen) : is_wanted(seen)) {
        if (!one.claim(seen, page_state::writing)) break;
        dirty_end = taken_end + 1;
      } else {
        // Where protecting makes a page's content readable elsewhere, one that is absent must not be.
        const bool can_be_owned = seen.state() == page_state::clean ||
                                  (seen.state() == page_state::absent && !faults_->hides_protected());
        if (!is_between || !can_be_owned || !one.claim(seen, page_state::loading)) break;
      }
    }
    page_transfer all{static_cast<page_number>(area.first + first), dirty_end - first};
    const bool is_held = all.count == 0 || hold_stores(all);
    if (!is_held) failed = all.failed;
    for (std::size_t i = first; i < taken_end; ++i) {
      const auto number = static_cast<page_number>(area.first + i);
      if (before[i] != page_state::dirty || !is_held) {
        // What lies between must not become accessible.
        if (before[i] == page_state::dirty) faults_->protect(address_of(number), page_size, false);
        pages_[number].settle(before[i]);
        continue;
      }
      const bool spills = file_.spills(number);
      if (i != first && before[i - 1] == page_state::dirty && own.runs[runs - 1].spilled == spills &&
          own.runs[runs - 1].count < most_pages_at_once) {
        ++own.runs[runs - 1].count;
      } else {
        own.runs[runs++] = {number, 1, spills, faults_->content(address_of(number)), std::nullopt, true};
      }
    }
    first = std::max(taken_end, first + 1);
  }
  return failed;
}

// Writes the runs that were taken, and gives their pages back. The first failure.
std::optional<failed_transfer> budgeted_mapping::write_taken(std::size_t runs, scratch& own) noexcept {
  std::optional<failed_transfer> first_failure;
  write_held({own.runs.data(), runs}, own);
  for (const page_transfer& run : std::span(own.runs.data(), runs)) {
    const std::uint32_t spilled = run.spilled ? page_word::spilled_bit : 0;
    if (run.failed && !first_failure) first_failure = run.failed;
    // What was pinned is a run of its own, and not held: a system call may be storing to it, and could not
    // wait. It stays dirty, so whatever that stores is written next time.
    if (run.failed && run.held) faults_->protect(address_of(run.first), run.count * page_size, false);
    for (std::size_t i = 0; i < run.count; ++i) {
      if (run.failed || !run.held) {
        pages_[run.first + i].settle(page_state::dirty);
      } else {
        pages_[run.first + i].settle(page_state::clean, {0, spilled});
      }
    }
  }
  return first_failure;
}

// Of these pages, whose turn to leave has come, those that are dirty are cleaned with all others of their
// area, which will mostly be clean when their own turn comes.
void budgeted_mapping::clean_areas_of(std::span<const page_number> victims, scratch& own,
                                      eviction& result) noexcept {
  // Whoever waits for room waits for this. What is left is cleaned page by page.
  const std::size_t most = 2 * victims.size();
  const std::size_t open = file_.open_pages();
  std::size_t runs = 0;
  std::size_t pages = 0;
  const auto keep = [&result](const std::optional<failed_transfer>& failed) {
    if (failed) result.failed = failed;
  };
  for (const page_number number : victims) {
    if (pages >= most || result.failed) break;
    if (!is_worth_cleaning(pages_[number].read())) continue;
    const std::size_t first = number / pages_of_area * pages_of_area;
    const page_span area{static_cast<page_number>(first), std::min(pages_of_area, open - first)};
    const std::size_t before = runs;
    keep(take_dirty(area, taking::cold, own, runs));
    for (std::size_t i = before; i < runs; ++i) pages += own.runs[i].count;
    if (runs + most_runs_of_area > own.runs.size()) keep(write_taken(std::exchange(runs, 0), own));
  }
  keep(write_taken(runs, own));
}

// Signals must be blocked. The first failure; all that can be written is written all the same.
std::optional<failed_transfer> budgeted_mapping::write_dirty() noexcept {
  const scratch_use own(scratches_);
  std::optional<failed_transfer> first_failure;
  const auto keep = [&](const std::optional<failed_transfer>& failed) {
    if (failed && !first_failure) first_failure = failed;
  };
  std::size_t runs = 0;
  const auto write_runs = [&] { keep(write_taken(std::exchange(runs, 0), *own)); };
  const std::size_t all = file_.pages();
  for (std::size_t first = 0; first < all; first += pages_of_area) {
    const page_span area{static_cast<page_number>(first), std::min(pages_of_area, all - first)};
    keep(take_dirty(area, taking::all, *own, runs));
    if (runs + most_runs_of_area > own->runs.size()) write_runs();
  }
  write_runs();
  // What others had meanwhile, and what is pinned.
  for (std::size_t i = 0; i < all;) {
    const auto number = static_cast<page_number>(i);
    const page_word seen = pages_[number].read();
    if (seen.state() == page_state::writing || seen.state() == page_state::dirtying) {
      // Another thread evicts it, and may fail, or makes it writable. Nobody may have to wait for pages of
      // this thread meanwhile.
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
    page_transfer one{number, 1, file_.spills(number), address_of(number)};
    if (seen.pins() == 0 && !hold_stores(one)) {
      keep(one.failed);
      pages_[number].settle(page_state::dirty);
      continue;
    }
    own->runs[runs++] = one;
    if (runs == own->runs.size()) write_runs();
  }
  write_runs();
  return first_failure;
}

}  // namespace perdure::pager::detail
