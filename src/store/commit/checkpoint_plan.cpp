// Decides what one checkpoint will write where.
#include "store/commit/checkpoint_plan.hpp"

#include <algorithm>
#include <cstring>

#include "segment/page_runs.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

void add(checkpoint_plan& plan, std::uint64_t page, entry_kind kind, std::uint32_t checksum = 0,
         std::uint64_t slot = 0) {
  std::vector<journal_entry>& index = plan.index;
  const journal_entry entry{page, checksum, kind, 0, {}, slot};
  if (!is_run(entry)) {
    index.push_back(entry);
    if (kind == entry_kind::fresh) ++plan.fresh;
    if (kind == entry_kind::overwrite) ++plan.overwrites;
  } else if (!index.empty() && index.back().kind == kind && index.back().page + index.back().value == page) {
    ++index.back().value;
  } else {
    index.push_back({page, 1, kind, {}});
  }
}

void add_overwrite(checkpoint_plan& plan, std::uint64_t page, std::uint32_t checksum, std::uint64_t slot,
                   const committed_state& before) {
  add(plan, page, entry_kind::overwrite, checksum, slot);
  // The committed epoch may rely on the hole, so the page must not be written in place.
  if (before.is_hole(page)) plan.holes.push_back({page, 1});
}

void plan_dirty(checkpoint_plan& plan, const std::byte* base, std::span<const detail::page_run> dirty,
                const early_pages& early, const journaled_pages* journaled, const committed_state& before) {
  for (const detail::page_run& run : dirty) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool touched = early.is_touched(page);
      if (is_zero(base + page * page_size, page_size)) {
        // A page that was never written reads as zero at home already.
        const bool is_read_at_home = journaled == nullptr || journaled->is_home(page);
        if (touched || !before.is_hole(page) || !is_read_at_home) add(plan, page, entry_kind::zero);
      } else if (touched || !before.needs(page)) {
        add(plan, page, entry_kind::fresh);
      } else {
        add_overwrite(plan, page, 0, 0, before);
      }
    }
  }
}

// Adds the pages that left memory for the journal. Those that were written to since are among the dirty ones.
void plan_journaled(checkpoint_plan& plan, const journaled_pages& journaled,
                    std::span<const detail::page_run> dirty, const committed_state& before) {
  for (const journaled_pages::record& one : journaled.records()) {
    while (!dirty.empty() && dirty.front().first + dirty.front().count <= one.page) dirty = dirty.subspan(1);
    if (!dirty.empty() && dirty.front().first <= one.page) continue;
    if (one.checksum == 0) {
      add(plan, one.page, entry_kind::zero);
    } else {
      add_overwrite(plan, one.page, one.checksum, one.slot, before);
    }
  }
}

void plan_released(checkpoint_plan& plan, std::span<const detail::page_run> released,
                   const early_pages& early, const committed_state& before) {
  for (const detail::page_run& run : released) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool holds_something =
          page < before.pages &&
          (before.checksums_stale || before.checksums.get(page) >= layout::first_checksum);
      if (holds_something || early.is_touched(page)) add(plan, page, entry_kind::released);
    }
  }
}

}  // namespace

checkpoint_plan plan_checkpoint(const std::byte* base, std::span<const detail::page_run> dirty,
                                std::span<const detail::page_run> released, const early_pages& early,
                                const journaled_pages* journaled, const committed_state& before) {
  checkpoint_plan plan;
  const auto merge_from = [&plan](std::size_t sorted) {
    const auto middle = plan.index.begin() + static_cast<std::ptrdiff_t>(sorted);
    std::ranges::inplace_merge(plan.index, middle, {}, &journal_entry::page);
  };
  plan_dirty(plan, base, dirty, early, journaled, before);
  std::size_t sorted = plan.index.size();
  plan_released(plan, released, early, before);
  merge_from(sorted);
  sorted = plan.index.size();
  if (journaled != nullptr) plan_journaled(plan, *journaled, dirty, before);
  merge_from(sorted);
  detail::normalize(plan.holes);
  sorted = plan.index.size();
  early.for_settled(
      [&plan](std::uint64_t page, std::uint32_t checksum) { add(plan, page, entry_kind::fresh, checksum); });
  merge_from(sorted);
  for (const journal_entry& entry : plan.index) {
    plan.touched.push_back({entry.page, is_run(entry) ? entry.value : 1});
  }
  detail::normalize(plan.touched);
  return plan;
}

}  // namespace perdure::store
