// Writes pages home for the epoch to come, and takes them back when its checkpoint fails.
#include "store/commit/early_home.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <string>

#include "segment/page_runs.hpp"
#include "store/file/checked_block.hpp"

namespace perdure::store {

void early_home::extend(std::uint64_t bytes) {
  home_.extend(bytes);
  evicted_->home_extended();
}

// If the checkpoint fails, home has other bytes there than the checkpoint before left. Not of pages that were
// written early: their memory may be mapped from home.
void early_home::begin_fresh(detail::page_run fresh, std::uint64_t committed) {
  for (std::uint64_t page = std::max(fresh.first, committed); page < fresh.first + fresh.count; ++page)
    if (!pages_.is_touched(page)) detail::add_run(spent_tail_, {page, 1});
  pages_.touch(fresh);
}

std::vector<detail::page_run> early_home::give_back(std::span<const detail::page_run> released,
                                                    const committed_state& before) {
  std::vector<detail::page_run> punched;
  for (const detail::page_run& run : released) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
      if (pages_.is_touched(page) && (before.is_hole(page) || !before.needs(page)))
        detail::add_run(punched, {page, 1});
  }
  for (const detail::page_run& run : punched) {
    pages_.unsettle(run);
    home_.punch(run);
  }
  return punched;
}

void early_home::sync() {
  is_unsure_ = true;
  home_.sync();
  is_unsure_ = false;
}

void early_home::clear_away() {
  if (is_unsure_) write_settled_again();
  is_unsure_ = false;
  // Pages that are settled may be nowhere else.
  std::vector<detail::page_run> spent;
  for (const detail::page_run& run : spent_tail_) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
      if (!pages_.is_settled(page)) detail::add_run(spent, {page, 1});
  }
  for (const detail::page_run& run : spent) home_.punch(run);
  // Synced: otherwise a crash might bring them back after a commit that takes these places to be zero.
  if (!spent.empty()) sync();
  for (const detail::page_run& run : spent) pages_.untouch(run);
  spent_tail_.clear();
}

void early_home::committed() noexcept {
  pages_.clear();
  spent_tail_.clear();
}

// After a sync that failed, a second sync says nothing about what was written before the first, so it is
// written again.
void early_home::write_settled_again() {
  alignas(64) std::array<std::byte, page_size> bytes;
  pages_.for_settled([&](std::uint64_t page, std::uint32_t checksum) {
    home_.read(page, bytes.data());
    if (page_checksum(page, bytes.data()) != checksum) {
      throw error(errc::io, "page " + std::to_string(page) + " of " + store_.string() +
                                ", written home to save memory, was lost by "
                                "the device: reopen the store to "
                                "go on from its last checkpoint");
    }
    home_.write(page, 1, bytes.data());
  });
}

}  // namespace perdure::store
