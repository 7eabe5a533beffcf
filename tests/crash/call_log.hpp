// The calls of one run, as far as they matter to what is on disk.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "crash/disk_image.hpp"

namespace perdure::crash {

enum class logged {
  create,       ///< `name` in directory `target` is the new `other`
  write,        ///< `pieces` of file `target`
  persist,      ///< cache lines of [`offset`, `offset` + `bytes`) of file `target` were written back
  resize,       ///< file `target` gets `bytes`
  punch,        ///< [`offset`, `offset` + `bytes`) of file `target`
  rename,       ///< `name` in `target` becomes `new_name` in `new_directory`
  remove,       ///< `name` in `target`
  sync_begun,   ///< of `target`
  sync_ended,   ///< `begun` says where it began
  sync_failed,  ///< what was dirty then may be lost, and no later sync will tell
  lost,         ///< pages of file `target` read as on the disk again (`pieces`): what was written is gone
  attempt,      ///< the program began to make its attempt `number` durable
  promise,      ///< it was told that attempt `number` is durable
  preparing,    ///< it began to prepare attempt `number`, which does not count before the program says so
  prepared,     ///< it was told that attempt `number` is durable but for that
  abandoning,   ///< it said that what is prepared does not count
  withdrawal,  ///< it was told that what it attempted since the last promise has failed; attempt `number`, if
               ///< it is not 0, may be found prepared still
};

struct logged_call {
  logged what;
  inode_number target = 0;
  inode_number other = 0;
  inode_number new_directory = 0;
  bool is_directory = false;
  bool is_store = false;  ///< of a write: made through a mapping, so that each cache line is for itself
  std::string name{};
  std::string new_name{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::size_t begun = 0;
  std::size_t number = 0;
  std::vector<page_write> pieces{};
};

using call_log = std::vector<logged_call>;

/// A write of `bytes` at `offset`.
logged_call write_call(inode_number file, std::uint64_t offset, std::span<const std::byte> bytes);
/// Does to an image what the call did in full. Marks and syncs do nothing.
void apply_whole(const logged_call& call, disk_image& image);
/// What files and directories are called.
using file_names = std::map<inode_number, std::string>;
/// The names that the call gives.
void learn_names(const logged_call& call, file_names& names);
/// One line for people. Files without a name in `names` are told by number.
std::string describe(const logged_call& call, const file_names& names);

}  // namespace perdure::crash
