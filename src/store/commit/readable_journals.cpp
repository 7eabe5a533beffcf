// Opens the journals for a reader, also while a writer writes one of them.
#include "store/commit/readable_journals.hpp"

#include <algorithm>

namespace perdure::store {

readable_journals open_journals(const os::file& directory, const layout::super_slot& super,
                                const store_lock& lock) {
  // While no checkpoint is being committed, every header is durable: the writer has put an empty journal in
  // the place of one whose commit failed.
  std::optional<store_lock::turn> no_commit;
  if (lock.is_beside_writer()) no_commit.emplace(lock.pause_commits());
  readable_journals found{
      {journal(directory, 0, super.uuid, false), journal(directory, 1, super.uuid, false)}};
  if (!no_commit) return found;
  found.ceiling.epoch = super.applied_epoch;
  for (const journal& one : found.files)
    found.ceiling.epoch =
        std::max(found.ceiling.epoch, one.header().value_or(layout::journal_header{}).epoch);
  return found;
}

}  // namespace perdure::store
