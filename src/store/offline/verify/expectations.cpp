// The expected content of each page at home, by the checksum table, the last journal and the undo log
// together.
#include "store/offline/verify/expectations.hpp"

#include <algorithm>

#include "segment/segment.hpp"
#include "store/file/journal_image.hpp"

namespace perdure::store {

using layout::entries_per_table_page;

std::uint64_t expectations::pages() const noexcept {
  return last_.committed_bytes / page_size;
}

std::vector<overlay_run>::const_iterator expectations::overlay_at(std::uint64_t page) const {
  return std::lower_bound(
      last_.overlay.begin(), last_.overlay.end(), page,
      [](const overlay_run& run, std::uint64_t wanted) { return run.first + run.count <= wanted; });
}

bool expectations::are_rewritten(std::uint64_t first, std::uint64_t count) const {
  const auto run = overlay_at(first);
  return run != last_.overlay.end() && run->first < first + count;
}

void expectations::of_table_page(std::uint64_t index, const layout::table_page& table, bool known,
                                 std::vector<expectation>& expected) const {
  using kind = expectation::kind;
  const std::uint64_t first = index * entries_per_table_page;
  const std::uint64_t count = first < pages() ? std::min(entries_per_table_page, pages() - first) : 0;
  expected.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t entry = table.entries[i];
    expectation one{kind::anything, 0, last_.applied_epoch};
    if (first + i >= last_.applied_pages) {
      one.what = kind::zero;
      one.epoch = last_.epoch;
    } else if (known && entry == layout::no_checksum) {
      one.what = kind::zero;
    } else if (known && entry != layout::any_content) {
      one.what = kind::checksum;
      one.checksum = entry;
    }
    expected.push_back(one);
  }
  for (auto run = overlay_at(first); run != last_.overlay.end() && run->first < first + count; ++run) {
    const std::uint64_t begin = std::max(run->first, first);
    const std::uint64_t end = std::min(run->first + run->count, first + count);
    for (std::uint64_t page = begin; page < end; ++page) expected[page - first] = run->expected;
  }
  // Home holds something else there; that the saved page is whole has been seen already.
  for (const layout::journal_entry& saved : saved_in(first, first + count)) {
    const std::uint64_t begin = std::max(saved.page, first);
    const std::uint64_t end = std::min(saved.page + (is_run(saved) ? saved.value : 1), first + count);
    for (std::uint64_t page = begin; page < end; ++page) {
      expectation& one = expected[page - first];
      if (one.what == kind::checksum && (is_run(saved) || saved.value != one.checksum)) {
        found_.add({store_section::undo_log, true, "undo", 0, page, one.epoch,
                    "what it saved of the page contradicts the page's checksum"});
      }
      one.what = kind::anything;
    }
  }
}

std::span<const layout::journal_entry> expectations::saved_in(std::uint64_t first, std::uint64_t end) const {
  const auto before = [](const layout::journal_entry& entry, std::uint64_t page) {
    return entry.page < page;
  };
  auto from = std::lower_bound(saved_.begin(), saved_.end(), first, before);
  // A run may begin before.
  while (from != saved_.begin() && is_run(*(from - 1)) && (from - 1)->page + (from - 1)->value > first)
    --from;
  return {from, std::lower_bound(from, saved_.end(), end, before)};
}

}  // namespace perdure::store
