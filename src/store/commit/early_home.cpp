// Writes pages home for the epoch to come, and takes them back when its checkpoint fails.
#include "store/commit/early_home.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <string>

#include "store/file/checked_block.hpp"

namespace perdure::store {

void early_home::extend(std::uint64_t bytes) {
  parts_.home.extend(bytes);
  evicted_->home_extended();
}

// If the checkpoint fails, home has other bytes there than the checkpoint before left.
void early_home::begin_fresh(detail::page_run fresh, std::uint64_t committed) {
  for (std::uint64_t page = std::max(fresh.first, committed); page < fresh.first + fresh.count; ++page) {
    if (!spent_tail_.empty() && spent_tail_.back().first + spent_tail_.back().count == page) {
      ++spent_tail_.back().count;
    } else {
      spent_tail_.push_back({page, 1});
    }
  }
  pages_.touch(fresh);
}

std::vector<detail::page_run> early_home::give_back(std::span<const detail::page_run> released,
                                                    const committed_state& before) {
  std::vector<detail::page_run> punched;
  if (pages_.empty()) return punched;
  const auto is_spare = [&](std::uint64_t page) {
    return pages_.is_touched(page) && (before.is_hole(page) || !before.needs(page));
  };
  for (const detail::page_run& run : released) {
    const std::uint64_t end = run.first + run.count;
    for (std::uint64_t first = run.first; first < end;) {
      std::uint64_t stop = first;
      while (stop < end && is_spare(stop)) ++stop;
      if (first < stop) {
        pages_.unsettle({first, stop - first});
        parts_.home.punch({first, stop - first});
        punched.push_back({first, stop - first});
      }
      first = stop + 1;
    }
  }
  return punched;
}

void early_home::sync() {
  is_unsure_ = true;
  parts_.home.sync();
  is_unsure_ = false;
}

void early_home::clear_away() {
  if (is_unsure_ && !pages_.empty()) write_settled_again();
  is_unsure_ = false;
  if (spent_tail_.empty()) return;
  // Pages that are settled may be nowhere else.
  std::vector<detail::page_run> spent;
  for (const detail::page_run& run : spent_tail_) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      if (pages_.is_settled(page)) continue;
      if (!spent.empty() && spent.back().first + spent.back().count == page) {
        ++spent.back().count;
      } else {
        spent.push_back({page, 1});
      }
    }
  }
  for (const detail::page_run& run : spent) parts_.home.punch(run);
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
    parts_.home.read(page, bytes.data());
    if (page_checksum(page, bytes.data()) != checksum) {
      throw error(errc::io, "page " + std::to_string(page) + " of " + parts_.path.string() +
                                ", written home to save memory, was lost by "
                                "the device: reopen the store to "
                                "go on from its last checkpoint");
    }
    parts_.home.write(page, 1, bytes.data());
  });
}

}  // namespace perdure::store
