// Verifies the two journals: which of them still counts, and what it says of pages that recovery will write
// again.
#include "store/offline/verify/journal_check.hpp"

#include <perdure/error.hpp>
#include <string>

#include "segment/segment.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/commit/file_history.hpp"
#include "store/commit/redo.hpp"

namespace perdure::store {

using layout::entry_kind;

journal_check::journal_check(const os::file& directory, const store_lock& lock, const checked_super& super,
                             findings& found)
    : super_(super), found_(found) {
  std::optional<store_lock::turn> no_commit;
  if (lock.is_beside_writer()) no_commit.emplace(lock.pause_commits());
  for (const unsigned parity : {0u, 1u}) {
    try {
      journals_[parity].emplace(directory, parity, super.slot.uuid, false);
    } catch (const error& what) {
      found.damage(store_section::journal, journal::name_of(parity), 0, what.what());
      continue;
    }
    headers_[parity] = journals_[parity]->header();
    if (const auto undecided = journals_[parity]->undecided()) {
      found.note(store_section::journal, journal::name_of(parity), 0,
                 "checkpoint " + std::to_string(undecided->epoch) + " is prepared, and not decided on");
    } else if (!headers_[parity]) {
      found.note(store_section::journal, journal::name_of(parity), 0,
                 "its header has no valid checksum: an unfinished checkpoint, which was never acknowledged");
    }
  }
}

last_checkpoint journal_check::run() {
  const layout::super_slot& super = super_.slot;
  last_checkpoint last = find_last();
  if (!super_.torn_slot) return last;
  const std::uint64_t offset = *super_.torn_slot * layout::block;
  const std::string what = "the slot has no valid checksum; the other one is sound";
  // A crash while it was written is one way to come by it, and then there is a checkpoint to be brought home.
  if (last.epoch == super.applied_epoch && super.table_epoch >= super.applied_epoch) {
    found_.damage(store_section::super_slot, "super", offset, what);
  } else {
    found_.note(store_section::super_slot, "super", offset, what);
  }
  return last;
}

last_checkpoint journal_check::find_last() {
  const layout::super_slot& super = super_.slot;
  const std::uint64_t applied = super.applied_epoch;
  last_checkpoint last{.epoch = applied,
                       .applied_epoch = applied,
                       .committed_bytes = super.segment_bytes,
                       .identity = super.checkpoint,
                       .later = {},
                       .applied_pages = super.segment_bytes / page_size,
                       .overlay = {}};
  for (std::uint64_t epoch = applied + 2; epoch > applied; --epoch) {
    const unsigned parity = epoch & 1;
    if (!headers_[parity] || headers_[parity]->epoch != epoch) continue;
    const auto index = journals_[parity]->read_index(*headers_[parity], super.capacity);
    if (!index) {
      found_.note(store_section::journal, journal::name_of(parity), 0,
                  "checkpoint " + std::to_string(epoch) + " is unfinished and was never acknowledged");
    } else if (!is_of_this_history(*headers_[parity], super, headers_[1 - parity])) {
      found_.damage(store_section::journal, journal::name_of(parity), 0,
                    told_as_foreign("its checkpoint " + std::to_string(epoch)));
      return last;
    } else if (headers_[parity]->segment_bytes < super.segment_bytes) {
      found_.damage(store_section::journal, journal::name_of(parity), 0,
                    "its segment is shorter than before");
      return last;
    } else {
      last.applied_pages = bytes_at_home(super, epoch, headers_[1 - parity]) / page_size;
      overlay(*headers_[parity], *index, last);
      return last;
    }
  }
  if (super.table_epoch >= applied) return last;
  // The table lacks what the journal of the applied checkpoint carries on for it.
  const unsigned parity = applied & 1;
  auto index = headers_[parity] && headers_[parity]->epoch == applied &&
                       is_of_this_history(*headers_[parity], super, {})
                   ? journals_[parity]->image().index(*headers_[parity], super.capacity)
                   : std::optional<std::vector<layout::journal_entry>>();
  if (!index) {
    last.table_is_known = false;
    found_.damage(store_section::journal, journal::name_of(parity), 0,
                  "it has lost the page checksums of checkpoint " + std::to_string(applied));
    return last;
  }
  mark_applied(*index);
  overlay(*headers_[parity], *index, last);
  return last;
}

void journal_check::overlay(const layout::journal_header& header,
                            const std::vector<layout::journal_entry>& index, last_checkpoint& last) const {
  using kind = expectation::kind;
  last.epoch = header.epoch;
  last.committed_bytes = header.segment_bytes;
  last.identity = header.checkpoint;
  last.later = later_checkpoints(header, super_.slot);
  last.overlay.reserve(index.size());
  for (const layout::journal_entry& entry : index) {
    const bool is_home = entry.kind == entry_kind::fresh || entry.carried != 0;
    const kind expected = !is_home || entry.kind == entry_kind::released ? kind::anything
                          : entry.kind == entry_kind::zero               ? kind::zero
                                                                         : kind::checksum;
    last.overlay.push_back(
        {entry.page, is_run(entry) ? entry.value : 1, {expected, entry.value, header.epoch}});
  }
}

}  // namespace perdure::store
