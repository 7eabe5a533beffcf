// Whether the files of a store belong together: home files, `crc` and the super block.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/commit/redo.hpp"
#include "store/file/file_stamps.hpp"

namespace perdure::store {

/// The checkpoints after the one that home is at, as far as the last journal tells. They may be at home
/// already, in part or whole.
std::vector<known_checkpoint> later_checkpoints(const layout::journal_header& last,
                                                const layout::super_slot& super);

struct foreign_file {
  std::string name;
  std::string what;  ///< a clause
};

/// The files that are not of the checkpoint which the super block names; they come from a copy, or are of
/// another time. `home` are the stamps of all home files that hold something of the segment.
std::vector<foreign_file> find_foreign(std::span<const file_stamps> home, const file_stamps& table,
                                       const layout::super_slot& super,
                                       std::span<const known_checkpoint> later);

/// Throws `damaged` for the first of them. Nothing may have been changed since they were opened.
void require_one_history(const home_files& home, const checksum_table& table, const layout::super_slot& super,
                         const std::filesystem::path& store, const std::optional<committed_journal>& last);

}  // namespace perdure::store
