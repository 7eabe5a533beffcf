// The directory `epochs` in a store: read-only copies of its last labelled checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/file.hpp"
#include "store/commit/store_parts.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Throws `unsupported` where the file system cannot share blocks between files, unless full copies are
/// wanted.
void require_room_to_keep(const os::file& store, const keeping& wanted);

/// Copies the store, whose pages must all be home at `super.epoch`, and removes all but the newest
/// `wanted.last` copies. Copies that somebody reads stay until the next checkpoint is kept.
void keep_epoch(const os::file& store, const layout::super_slot& super, const keeping& wanted);

/// Returns the kept epochs, oldest first.
std::vector<std::uint64_t> kept_epochs(const os::file& store);
/// Returns the directory that has the copy of this epoch.
std::filesystem::path path_of_kept(const std::filesystem::path& store, std::uint64_t epoch);

/// Removes what killed processes left of copies that they were making, and returns the names of the
/// directories.
std::vector<std::string> remove_unfinished_epochs(const os::file& store);

/// Removes all copies, and the directory `epochs` where nothing else is in it.
void remove_kept_epochs(const os::file& store);

}  // namespace perdure::store
