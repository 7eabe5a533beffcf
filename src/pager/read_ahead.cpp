// Pages that are read together with a touched page, and pages that the background readers read ahead of it.
#include "pager/read_ahead.hpp"

#include <algorithm>

namespace perdure::pager::detail {

namespace {

// Pages that a stream has come to need before the readers are asked to read ahead of it: for fewer that takes
// longer than it saves.
constexpr std::size_t least_asked = 32;

std::size_t most_together_in(std::size_t budget) noexcept {
  return std::clamp<std::size_t>(budget / 16, 1, most_pages_at_once);
}

std::size_t most_asked_in(std::size_t budget) noexcept {
  return std::clamp<std::size_t>(budget / 16, 1, 4 * most_pages_at_once);
}

// Where there are none, the thread that touches memory reads ahead for itself.
std::size_t readers_for(std::size_t budget) noexcept {
  if (most_together_in(budget) < least_asked) return 0;
  return std::max<std::size_t>(most_asked_in(budget) / most_pages_at_once, 2);
}

}  // namespace

read_ahead::read_ahead(region_pages& pages, page_loader& loader, std::size_t budget)
    : pages_(pages),
      most_together_(most_together_in(budget)),
      most_asked_(most_asked_in(budget)),
      density_(pages.source.pages()),
      readers_(pages, loader, readers_for(budget)) {}

read_ahead::approach read_ahead::approach_to(page_number touched) const noexcept {
  if (most_together_ == 1 || !is_allowed_.load(std::memory_order_relaxed)) return {};
  return {true, streams_.find(touched)};
}

claimed_reads read_ahead::claim_around(page_number touched, const approach& how, scratch& own) noexcept {
  page_span dense{touched, 1};
  if (how.reads_ahead) dense = density_.find(touched);
  if (dense.count > most_together_) dense = {touched, 1};
  dense.count = std::min(dense.count, pages_.source.open_pages() - dense.first);
  const std::size_t before = claim_absent_before(pages_, touched, touched - dense.first);
  const std::size_t window = std::min(window_of(how.along), most_pages_at_once - before);
  const std::size_t after =
      claim_absent_after(pages_, touched, std::max(dense.first + dense.count - touched, window) - 1);
  const auto first = static_cast<page_number>(touched - before);
  const std::size_t count = before + 1 + after;
  own.reads[0] = {first, count, pages_[touched].read().is_spilled()};
  claimed_reads claimed{1, count};
  // What lies behind pages that are in memory.
  if (count < dense.count) claim_absent(pages_, dense, count + dense.count, dense.count, own, claimed);
  return claimed;
}

// How many pages to bring in for a touch that a stream may have led to.
std::size_t read_ahead::window_of(const stream& found) const noexcept {
  if (found.count == 0) return 1;
  const std::size_t window = std::min<std::size_t>(2 * found.count, most_together_);
  return asks_ahead(found) ? std::min(window, least_asked) : window;
}

bool read_ahead::asks_ahead(const stream& found) const noexcept {
  return readers_.are_there() && (found.is_asked || 2 * found.count >= least_asked);
}

void read_ahead::brought_in(page_span run, const approach& how) noexcept {
  if (!how.reads_ahead) return;
  const stream& found = how.along;
  const auto end = static_cast<page_number>(run.first + run.count);
  const page_number next = std::max(end, found.end());
  if (!asks_ahead(found) || !ask_ahead(found, next, run.first)) {
    // Pages that were brought in because much is touched around them do not make a stream longer.
    streams_.expect({end, static_cast<std::uint32_t>(std::min(run.count, window_of(found))), false});
  } else if (const stream asked = streams_.find(next); next == end && asked.is_asked) {
    // Nothing was on its way. One piece more, so that the next is read while the thread waits for the first.
    ask_ahead(asked, asked.end(), next);
  }
}

void read_ahead::awaited(page_number page) noexcept {
  // A thread that has to wait for pages that the readers were asked for will soon need the pages that follow.
  // A thread that never has to wait gets to the end of what the readers were asked for, and asks there.
  if (const stream found = streams_.find(page); found.is_asked) ask_ahead(found, found.end(), page);
}

// Has the readers bring in what comes next on a stream. False if there is nothing, or they have too much to
// do.
//
// More than they read in one go, so that they are not done with all of it before it is touched: a thread that
// finds all of it in memory asks for nothing before its end, and waits there.
bool read_ahead::ask_ahead(const stream& found, page_number next, page_number touched) noexcept {
  const std::size_t end = pages_.source.open_pages();
  if (next >= end) return false;
  const std::size_t count =
      std::min({std::max<std::size_t>(2 * found.count, least_asked), most_asked_, end - next});
  if (!readers_.post({next, count})) return false;
  streams_.expect({next, static_cast<std::uint32_t>(count), true}, found, touched);
  return true;
}

}  // namespace perdure::pager::detail
