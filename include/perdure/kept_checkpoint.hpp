// Checkpoints that a store keeps as read-only copies, and names that stand for them: STORE@LABEL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

/// A labelled checkpoint that a store kept (`store_options::keep_last`), as it was when it was made.
///
/// Every function that reads a store takes `path`: `datastore::open_read_only`, `manager(open_read_only,
/// path)`, `array_store(open_read_only, path)`, `store_maintenance::verify`, `store_maintenance::copy`.
/// Functions that change a store refuse it (`read_only`). Such functions take the name STORE@LABEL as well;
/// see `resolve_store_name`.
///
/// The copy is deleted when `keep_last` newer ones are kept, but not while it is open.
struct kept_checkpoint {
  std::uint64_t epoch = 0;     ///< number of the checkpoint
  std::uint64_t time_ns = 0;   ///< time of the commit, Unix time; 0 where the store's log has lost it
  std::string label;           ///< empty where the store's log has lost it
  std::filesystem::path path;  ///< directory of the copy
};

/// Returns the checkpoints that the store keeps, oldest first. Thread-safe; reads the store's log and nothing
/// else. `not_found`, `not_a_store`, `damaged`, `permission_denied`, `io`.
std::vector<kept_checkpoint> kept_checkpoints(const std::filesystem::path& store);

/// Returns the newest checkpoint with this label. Throws `not_found` where no checkpoint has the label, and
/// where none that has it is kept any more. It also throws `not_found` where only an older one is kept than
/// the newest that had it: the message names its epoch. Otherwise as `kept_checkpoints`.
kept_checkpoint find_kept_checkpoint(const std::filesystem::path& store, std::string_view label);
/// Returns the kept checkpoint of this epoch. Throws `not_found` where it is not kept.
kept_checkpoint find_kept_checkpoint(const std::filesystem::path& store, std::uint64_t epoch);

/// The name of a store, taken apart.
struct store_name {
  std::filesystem::path store;  ///< directory of the store
  std::string checkpoint;       ///< label or epoch of a checkpoint, after '@'; empty: the store itself
};

/// Takes STORE@LABEL apart. A name means a checkpoint only where a store is at STORE, and nothing is at
/// STORE@LABEL: a directory or file that really has the name is what it means. Labels and paths may contain
/// '@'; the last one that leaves the path of a store before it counts. Does not look whether the checkpoint
/// is kept. Never throws but `std::bad_alloc`.
store_name parse_store_name(const std::filesystem::path& name);

/// Returns the directory to read: that of the kept checkpoint where the name is STORE@LABEL, or STORE@EPOCH
/// where no checkpoint has such a label; else the name itself. `manager(open_read_only, …)` and all other
/// functions that read a store call it for the paths that they are given. Throws as `find_kept_checkpoint`.
std::filesystem::path resolve_store_name(const std::filesystem::path& name);

/// Throws `read_only` where the name is STORE@LABEL, whether the checkpoint is kept or not, and where it is
/// the directory of a kept checkpoint. All functions that create or change a store call it; a program calls
/// it itself to find out before it begins long work.
void require_changeable_store(const std::filesystem::path& name);

}  // namespace perdure
