// Recovery: an opening writer undoes, redoes and clears away what a crash may have left in the undo log, the
// journals and home.
#include "store/commit/recovery.hpp"

#include <algorithm>
#include <string>

#include "store/commit/file_history.hpp"
#include "store/commit/redo.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

namespace {

/// Returns whether one of them is empty, or torn.
bool has_empty_journal(const std::array<journal, 2>& journals) {
  return std::any_of(journals.begin(), journals.end(), [](const journal& one) {
    return one.header().value_or(layout::journal_header{}).epoch == 0;
  });
}

// A prepared checkpoint that does not count by the verdict is replaced by an empty journal before anything
// else is written: its file is needed for the next checkpoint.
void settle_undecided(store_parts& parts, const known_checkpoint& last) {
  const std::uint64_t undecided = find_undecided(parts.journals, parts.super.now(), last);
  if (undecided == 0) return;
  if (!parts.ceiling.decides) {
    throw error(errc::undecided, parts.path.string() + " has prepared checkpoint " +
                                     std::to_string(undecided) +
                                     " and does not know whether it counts: open it together with the stores "
                                     "that it was prepared with, or say so by `store_options::last_decided`");
  }
  parts.journals[undecided & 1].replace();
}

}  // namespace

void recover(store_parts& parts, bool may_wait) {
  const auto unless_full = [&](auto&& bring_home) {
    try {
      bring_home();
    } catch (const std::system_error& failure) {
      if (!may_wait || base::code_of(failure) != errc::no_space) throw;
      parts.redo = redo_state::pending;
    }
  };
  layout::super_slot super = parts.super.now();
  std::optional<committed_journal> found = find_committed(parts.journals, super, parts.ceiling);
  const known_checkpoint last = found ? checkpoint_in(found->header) : at_home(super);
  require_one_history(parts.home, parts.checksums, super, parts.path, found);
  settle_undecided(parts, last);
  if (found) {
    super.segment_bytes = found->header.segment_bytes;
    parts.home.require(super.segment_bytes);
  }
  // The before-images are those of the last checkpoint, though its journal may look as if it were not
  // applied: the newer super slot may be damaged.
  undo_at_home(parts.undo, parts.home, last);
  if (found) {
    if (found->header.epoch > super.applied_epoch) {
      // Before redo overwrites pages at home, the journal must be on disk, and under its name.
      parts.journals[found->header.epoch & 1].make_durable(found->header, found->index);
      parts.home.sync_names();
    }
    parts.checksums.rebuild_from([&parts](std::uint64_t page, std::byte* to) { parts.home.read(page, to); },
                                 super.segment_bytes / page_size);
    unless_full([&] { redo_at_home(*found, parts.home, parts.checksums); });
    // Only these table pages may be torn, and later they could not be made anew.
    if (parts.redo == redo_state::pending) parts.checksums.load(pages_of(*found));
    parts.checksums.stop_rebuilding();
  }
  // Pages beyond the committed length must read as zero when the segment grows over them again. Every file
  // is looked at: a later one can be longer than needed though an earlier one is not.
  parts.home.truncate(super.segment_bytes);
  // A writer may have replaced the journal of a failed checkpoint by an empty one, and died before the new
  // name was durable: the store that is opened now must not turn into that checkpoint when the power fails.
  if (has_empty_journal(parts.journals)) parts.home.sync_names();
  if (!found || parts.redo == redo_state::pending) return;
  unless_full(
      [&] { settle_redo(*found, parts.home, parts.checksums, parts.super, parts.log, table_use::write); });
}

}  // namespace perdure::store
