// Compares the stamps of a store's files with its super block.
#include "store/commit/file_history.hpp"

#include "store/file/failure.hpp"

namespace perdure::store {

namespace {

constexpr const char* not_of_this_history =
    "it is not as the last checkpoint left it: it comes from a copy, or is of another time";

}  // namespace

std::vector<known_checkpoint> later_checkpoints(const layout::journal_header& last,
                                                const layout::super_slot& super) {
  std::vector<known_checkpoint> later;
  if (last.epoch > super.applied_epoch) later.push_back(checkpoint_in(last));
  if (last.epoch > super.applied_epoch + 1) later.push_back({last.epoch - 1, 0, last.parent});
  return later;
}

std::vector<foreign_file> find_foreign(std::span<const file_stamps> home, const file_stamps& table,
                                       const layout::super_slot& super,
                                       std::span<const known_checkpoint> later) {
  std::vector<foreign_file> found;
  // Its pages may be of different times in any case.
  if ((super.flags & layout::flag_open_dirty) != 0) return found;
  for (std::size_t i = 0; i < home.size(); ++i)
    if (!home[i].are_known_after(super.applied_epoch, later))
      found.push_back({home_files::name_of(i), not_of_this_history});
  const std::optional<std::uint64_t> sum = sum_of_stamps(home, super.applied_epoch);
  if (found.empty() && sum && *sum != super.home_stamps) {
    found.push_back({home_files::name_of(0),
                     home.size() == 1 ? not_of_this_history
                                      : "it or another home file is not as the last checkpoint left it: "
                                        "one comes from a copy, or is of another time"});
  }
  // It is brought up to date without a checkpoint too.
  std::vector<known_checkpoint> of_table(later.begin(), later.end());
  of_table.push_back(at_home(super));
  const std::optional<std::uint64_t> stamp = table.at(super.table_epoch);
  if (!table.are_known_after(super.table_epoch, of_table) || (stamp && *stamp != super.table_stamp))
    found.push_back({"crc", not_of_this_history});
  return found;
}

void require_one_history(const home_files& home, const checksum_table& table, const layout::super_slot& super,
                         const std::filesystem::path& store, const std::optional<committed_journal>& last) {
  const std::vector<foreign_file> found =
      find_foreign(home.stamps_within(super.segment_bytes), table.stamps(), super,
                   last ? later_checkpoints(last->header, super) : std::vector<known_checkpoint>());
  if (!found.empty()) throw_damaged(store / found.front().name, found.front().what);
}

}  // namespace perdure::store
