// Takes pages out of memory: chooses them, writes the dirty ones, and gives their memory back in one call.
#include "pager/eviction.hpp"

#include <algorithm>
#include <cstdint>

namespace perdure::pager::detail {

eviction_result eviction::evict(std::size_t wanted, scratch& own, eviction_cause cause) noexcept {
  eviction_result result;
  wanted = std::min(wanted, own.victims.size());
  const bool may_write = cause != eviction_cause::touch || !pages_.source.writes_in_turns();
  // Pages that cannot leave, or have a chance left, are put back; no page has more than three chances.
  std::size_t looks = 4 * order_.queues.size();
  // Where many pages are dirty the evictor is the one to look further.
  if (!may_write) looks = std::min(looks, 8 * wanted);
  // Pages that must stay may fill the primary queue.
  const std::size_t patience = looks / 2;
  while (result.evicted < wanted && looks != 0) {
    const std::size_t taken =
        order_.queues.take({own.victims.data(), std::min(wanted - result.evicted, looks)}, looks <= patience);
    if (taken == 0) break;
    looks -= taken;
    const std::span<const page_number> candidates(own.victims.data(), taken);
    if (may_write) result.failed = cleaner_.clean_areas_of(candidates, own);
    expel(choose(candidates, may_write, own), own, cause, result);
    if (result.failed) break;
  }
  return result;
}

// Claims those of the candidates that can leave now, and puts the others back into a queue. The claimed ones
// come first in `own.victims`, which the candidates are in; their number is returned.
std::size_t eviction::choose(std::span<const page_number> candidates, bool may_write, scratch& own) noexcept {
  std::size_t owned = 0;
  for (const page_number number : candidates) {
    page& victim = pages_[number];
    for (bool decided = false; !decided;) {
      const page_word seen = victim.read();
      const page_state state = seen.state();
      if (state == page_state::absent) {
        decided = victim.unqueue(seen);
      } else if (seen.has_chance() && (state == page_state::clean || state == page_state::dirty)) {
        if (!victim.rewrite_history(seen, seen.history() - 1)) continue;
        order_.queues.push(number, true);
        decided = true;
      } else if (seen.pins() != 0 || (state != page_state::clean && state != page_state::dirty) ||
                 (state == page_state::dirty && !may_write)) {
        order_.queues.push(number, seen.is_hot());
        decided = true;
      } else if (victim.claim(seen,
                              state == page_state::clean ? page_state::evicting : page_state::writing)) {
        own.victims[owned++] = number;
        decided = true;
      }
    }
  }
  return owned;
}

void eviction::expel(std::size_t owned, scratch& own, eviction_cause cause,
                     eviction_result& result) noexcept {
  if (owned == 0) return;
  const bool are_queued = cause != eviction_cause::advice;
  std::sort(own.victims.begin(), own.victims.begin() + static_cast<std::ptrdiff_t>(owned));
  const std::span<const page_number> leaving(own.victims.data(), clean(owned, own, are_queued, result));
  if (leaving.empty()) return;
  discard(leaving, own);
  order_.clock.evicted(leaving.size());
  settling change{page_word::history_bits | page_word::read_bit, 0};
  if (are_queued) {
    change.clear |= page_word::queued_bit | page_word::hot_bit;
    change.set = page_word::as_history(order_.clock.now());
  }
  std::size_t only_read = 0;
  for (const page_number number : leaving)
    only_read += pages_[number].settle(page_state::absent, change).is_only_read() ? 1 : 0;
  pages_.forecast.left_unchanged(only_read);
  budget_.give_back(leaving.size());
  result.evicted += leaving.size();
  count(own.events.evictions, leaving.size());
  if (cause == eviction_cause::touch) count(own.events.evictions_by_touch, leaving.size());
}

// Of the first `owned` pages in `own.victims` writes those that are dirty. The pages that may leave then come
// first there, sorted; their number is returned.
std::size_t eviction::clean(std::size_t owned, scratch& own, bool are_queued,
                            eviction_result& result) noexcept {
  std::size_t leaving = 0;
  std::size_t dirty = 0;
  // Clean pages go to the front; the dirty ones stay in their order.
  for (std::size_t i = 0; i < owned; ++i) {
    const page_number number = own.victims[i];
    if (pages_[number].read().state() == page_state::evicting) {
      own.victims[leaving++] = number;
    } else {
      own.dirty[dirty++] = number;
    }
  }
  leaving = write_dirty(dirty, leaving, own, are_queued, result);
  std::sort(own.victims.begin(), own.victims.begin() + static_cast<std::ptrdiff_t>(leaving));
  return leaving;
}

// Writes the first `dirty` pages in `own.dirty`. Those that may leave then are added to the `leaving` ones in
// `own.victims`, whose number is returned; the others are let go.
std::size_t eviction::write_dirty(std::size_t dirty, std::size_t leaving, scratch& own, bool are_queued,
                                  eviction_result& result) noexcept {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < dirty; ++i) {
    const page_number number = own.dirty[i];
    const bool spills = pages_.source.spills(number);
    if (runs != 0 && own.writes[runs - 1].first + own.writes[runs - 1].count == number &&
        own.writes[runs - 1].spilled == spills) {
      ++own.writes[runs - 1].count;
    } else {
      own.writes[runs++] = {number, 1, spills};
    }
  }
  const std::span<page_transfer> all(own.writes.data(), runs);
  std::size_t protected_runs = 0;
  for (page_transfer& run : all) {
    if (cleaner_.protect(run)) {
      ++protected_runs;
    } else {
      result.failed = run.failed;
    }
  }
  // Almost always all of them; a run that could not be protected must not be written.
  if (protected_runs == runs) cleaner_.transfer(all, own);

  const auto put_back = [&](page_number number, page_state state, settling change) {
    const page_word before = pages_[number].settle(state, change);
    if (are_queued) order_.queues.push(number, before.is_hot());
  };
  for (const page_transfer& run : all) {
    const bool is_written = protected_runs == runs && !run.failed;
    if (!is_written) {
      // Threads may have begun to wait while it was written, or while others were.
      pages_.unprotect({run.first, run.count});
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
  return leaving;
}

// Gives the memory of pages back, neighbours as one part.
void eviction::discard(std::span<const page_number> sorted, scratch& own) noexcept {
  std::size_t parts = 0;
  for (const page_number number : sorted) {
    std::byte* const at = pages_.address_of(number);
    if (parts != 0) {
      iovec& last = own.parts[parts - 1];
      if (static_cast<std::byte*>(last.iov_base) + last.iov_len == at) {
        last.iov_len += page_size;
        continue;
      }
    }
    own.parts[parts++] = {at, page_size};
  }
  pages_.faults.drop({own.parts.data(), parts});
}

}  // namespace perdure::pager::detail
