// Compares the stamps of the files with the super block.
#include "store/offline/verify/history_check.hpp"

#include <algorithm>

#include "store/commit/file_history.hpp"

namespace perdure::store {

void check_history(const layout::super_slot& super, const last_checkpoint& last,
                   const std::vector<checked_home_file>& home, const checked_table& table, findings& found) {
  std::vector<file_stamps> of_home;
  for (std::size_t i = 0; i < home.size() && i * super.home_file_bytes < super.segment_bytes; ++i) {
    // What is wrong with the file has been said.
    if (!home[i].stamps) return;
    of_home.push_back(*home[i].stamps);
  }
  if (!table.stamps) return;
  for (const foreign_file& one : find_foreign(of_home, *table.stamps, super, last.later))
    found.damage(store_section::history, one.name, 0, one.what);

  // A crash while one is written leaves something to be brought home, which writes it again.
  const bool may_be_torn = last.epoch > super.applied_epoch || super.table_epoch < super.applied_epoch;
  const auto report = [&](const std::string& name, const file_stamps& stamps) {
    if (!stamps.has_unsound()) return;
    const std::string what = "what its header says of its last checkpoints has no valid checksum";
    if (may_be_torn) {
      found.note(store_section::history, name, layout::stamps_offset, what);
    } else {
      found.damage(store_section::history, name, layout::stamps_offset, what);
    }
  };
  for (std::size_t i = 0; i < of_home.size(); ++i) report(home_files::name_of(i), of_home[i]);
  report("crc", *table.stamps);
}

}  // namespace perdure::store
