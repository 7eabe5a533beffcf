// What every open datastore holds, whatever its backing: directory, lock, super block, home files.
#pragma once

#include <array>
#include <perdure/datastore.hpp>

#include "os/mapping.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_lock.hpp"
#include "store/file/super_block.hpp"
#include "store/file/undo_log.hpp"

namespace perdure {

/// Which labelled checkpoints are kept as copies, and how.
struct keeping {
  unsigned last;     // how many; 0: none
  bool full_copies;  // where blocks cannot be shared
};

struct store_parts {
  std::filesystem::path path;
  bool writable;
  bool private_changes;  // of a reader: the program may write to the memory, and its changes are not kept
  store_lock lock;
  os::file directory;
  super_block super;
  home_files home;
  checksum_table checksums;
  std::array<journal, 2> journals;
  epoch_ceiling ceiling;  // for a reader beside a writer, or where the program says what was decided
  undo_log undo;
  checkpoint_log log;
  keeping keep;
  std::uint64_t memory_budget;  // bytes that changed pages may take; of a paged store all that are in memory
  bool paged;                   // pages come and go as they are touched
  bool verify_lazily;           // pages when they are first touched
  bool is_redo_pending;         // of a writer: home has no room for what the last journal holds
  bool shares_blocks_with_writer;  // of a reader: its files are not those in the directory
  os::reservation place;           // address space for the segment
};

/// What `datastore::info` reports, from a super slot and the files in the directory.
store_info describe(const os::file& directory, const layout::super_slot& super, const std::string& abi);

}  // namespace perdure
