#include "store/checkpoint_plan.hpp"

#include <algorithm>
#include <cstring>

#include "segment/page_runs.hpp"

namespace perdure {

namespace {

using layout::entry_kind;
using layout::journal_entry;

bool is_zero_page(const std::byte* page) {
  std::uint64_t head;
  std::memcpy(&head, page, sizeof head);
  return head == 0 && std::memcmp(page, page + sizeof head, page_size - sizeof head) == 0;
}

bool is_run(entry_kind kind) {
  return kind == entry_kind::zero || kind == entry_kind::released;
}

void add(checkpoint_plan& plan, std::uint64_t page, entry_kind kind) {
  std::vector<journal_entry>& index = plan.index;
  if (is_run(kind) && !index.empty() && index.back().kind == kind &&
      index.back().page + index.back().value == page) {
    ++index.back().value;
  } else {
    index.push_back({page, is_run(kind) ? 1u : 0u, kind, {}});
  }
}

void plan_dirty(checkpoint_plan& plan, const std::byte* base, std::span<const page_run> dirty,
                const committed_state& before) {
  for (const page_run& run : dirty) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool zero = is_zero_page(base + page * page_size);
      if (page >= before.pages) {
        // Beyond the committed length: no epoch needs what is home, and the files are holes there.
        if (zero) continue;
        add(plan, page, entry_kind::fresh);
        ++plan.fresh;
        continue;
      }
      const std::uint32_t entry = before.checksums.get(page);
      // A page never written reads as zero in the committed epoch, which may rely on that: it is not
      // free to be written in place.
      const bool hole = entry == layout::no_checksum;
      const bool stale = before.checksums_stale;
      if (zero && hole && !stale) continue;
      if (zero) {
        add(plan, page, entry_kind::zero);
        continue;
      }
      if (entry == layout::any_content && !stale) {
        add(plan, page, entry_kind::fresh);
        ++plan.fresh;
        continue;
      }
      add(plan, page, entry_kind::overwrite);
      ++plan.overwrites;
      if (hole) plan.holes.push_back({page, 1});
    }
  }
  normalize(plan.holes);
}

void plan_released(checkpoint_plan& plan, std::span<const page_run> released, const committed_state& before) {
  const std::size_t written = plan.index.size();
  for (const page_run& run : released) {
    const std::uint64_t end = std::min(run.first + run.count, before.pages);
    for (std::uint64_t page = run.first; page < end; ++page) {
      const std::uint32_t entry = before.checksums.get(page);
      if (before.checksums_stale || entry >= layout::first_checksum) add(plan, page, entry_kind::released);
    }
  }
  std::inplace_merge(plan.index.begin(), plan.index.begin() + static_cast<std::ptrdiff_t>(written),
                     plan.index.end(),
                     [](const journal_entry& a, const journal_entry& b) { return a.page < b.page; });
}

}  // namespace

checkpoint_plan plan_checkpoint(const std::byte* base, std::span<const page_run> dirty,
                                std::span<const page_run> released, const committed_state& before) {
  checkpoint_plan plan;
  plan_dirty(plan, base, dirty, before);
  plan_released(plan, released, before);
  for (const journal_entry& entry : plan.index) {
    plan.touched.push_back({entry.page, is_run(entry.kind) ? entry.value : 1});
  }
  normalize(plan.touched);
  return plan;
}

}  // namespace perdure
