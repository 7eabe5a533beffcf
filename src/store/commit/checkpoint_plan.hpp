// The plan of one checkpoint: what it will write where, decided before anything is written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/commit/early_pages.hpp"
#include "store/commit/journaled_pages.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

struct checkpoint_plan {
  // Sorted by page. Checksums are filled in as pages are copied; a fresh page that has one is home already,
  // an overwritten one in its slot.
  std::vector<layout::journal_entry> index;
  std::size_t fresh = 0;  // entries of that kind
  std::size_t overwrites = 0;
  std::vector<detail::page_run> holes;    // overwritten pages that have no disk space at home yet
  std::vector<detail::page_run> touched;  // pages whose table entry will change
};

/// State of the checkpoint before.
struct committed_state {
  std::uint64_t pages;        ///< in the segment; beyond them home is holes
  checksum_table& checksums;  ///< checksums of that epoch
  bool checksums_stale;       ///< they are of no use: the store was written through a shared mapping

  bool is_hole(std::uint64_t page) const {
    return page >= pages || (!checksums_stale && checksums.get(page) == layout::no_checksum);
  }
  /// Returns whether the checkpoint needs what home holds of the page.
  bool needs(std::uint64_t page) const {
    return page < pages && (checksums_stale || checksums.get(page) != layout::any_content);
  }
};

/// Plans how to make the `dirty` pages durable and to give up the `released` ones (both sorted, without
/// overlap). Names the pages too that were written early: home, or, if `journaled` is not null, to the
/// journal. Throws `damaged` if the checksum table is.
checkpoint_plan plan_checkpoint(const std::byte* base, std::span<const detail::page_run> dirty,
                                std::span<const detail::page_run> released, const early_pages& early,
                                const journaled_pages* journaled, const committed_state& before);

}  // namespace perdure::store
