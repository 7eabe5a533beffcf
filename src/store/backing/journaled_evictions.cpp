// Tells a checkpoint of a paged store which pages have left memory, and where they are.
#include "store/backing/journaled_evictions.hpp"

namespace perdure::store {

using layout::entry_kind;
using layout::journal_entry;

checkpoint_plan journaled_evictions::plan(const detail::segment& memory, const changed_pages& changed,
                                          const early_pages& early, const committed_state& before) const {
  return plan_checkpoint(memory.base(), changed.to_write(), changed.released(), early, &table_, before);
}

void journaled_evictions::empty_home(journal_index index, const early_pages& early, home_files& home) {
  if (early.empty()) return;
  for (const journal_entry& entry : index) {
    if (entry.kind != entry_kind::zero || entry.carried != 0) continue;
    std::uint64_t first = entry.page;
    const std::uint64_t end = entry.page + entry.value;
    while (first < end) {
      std::uint64_t stop = first;
      while (stop < end && early.is_touched(stop)) ++stop;
      if (first < stop) home.punch({first, stop - first});
      first = stop + 1;
    }
  }
}

// The pager may drop such pages from memory then, so they must be found again if the checkpoint fails.
void journaled_evictions::settle_home(journal_index written, early_pages& early) {
  for (const journal_entry& entry : written) {
    table_.put_home(entry.page, entry.value);
    early.settle(entry.page, entry.value);
  }
}

void journaled_evictions::note_zeros(journal_index index) {
  for (const journal_entry& entry : index) {
    if (entry.kind != entry_kind::zero || entry.carried != 0) continue;
    for (std::uint64_t page = entry.page; page < entry.page + entry.value; ++page) table_.put_zero(page);
  }
}

std::vector<journal::kept_page> journaled_evictions::only_in_journal() const {
  std::vector<journal::kept_page> pages;
  for (const journaled_pages::record& one : table_.records())
    if (one.checksum != 0) pages.push_back({one.page, one.slot, one.checksum});
  return pages;
}

void journaled_evictions::journal_applied() noexcept {
  const bool had_pages =
      table_.settle([this](journaled_pages::number page) { memory_->pages().unspill(page); });
  // That journal may now be written over.
  if (had_pages) memory_->home().await_journal_readers();
}

}  // namespace perdure::store
