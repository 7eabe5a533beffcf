// Verifies `undo`: whether all that the next opening would take back is whole.
#include "store/offline/verify/undo_log_check.hpp"

#include <algorithm>
#include <perdure/error.hpp>

#include "store/file/undo_log.hpp"

namespace perdure::store {

std::vector<layout::journal_entry> check_undo_log(const os::file& directory, const layout::super_slot& super,
                                                  const last_checkpoint& last, findings& found) {
  std::vector<layout::journal_entry> saved;
  try {
    const undo_log undo(directory, super.uuid, false);
    for (const undo_log::batch& one : undo.find({last.epoch, last.committed_bytes, last.identity}))
      saved.insert(saved.end(), one.index.begin(), one.index.end());
  } catch (const error& what) {
    found.damage(store_section::undo_log, "undo", 0, what.what());
    return saved;
  }
  if (saved.empty()) return saved;
  // What an earlier writer left behind the batches of a later one says the same.
  std::stable_sort(
      saved.begin(), saved.end(),
      [](const layout::journal_entry& a, const layout::journal_entry& b) { return a.page < b.page; });
  found.note(store_section::undo_log, "undo", 0,
             "pages were written home for a checkpoint that never came; the next opening takes them back");
  return saved;
}

}  // namespace perdure::store
