// The directory of a store: its path and its opening.
#pragma once

#include <filesystem>
#include <string>

#include "os/file.hpp"

namespace perdure::store {

/// A path as given, without trailing slashes and dots. Throws `invalid_argument` for an empty one.
std::filesystem::path normalized_store_path(std::filesystem::path given);

/// The directory that a store is in, or is to be made in.
std::filesystem::path parent_of(const std::filesystem::path& store);

/// Opens the directory of an existing store. Throws `not_found`, `not_a_store`.
os::file open_store_directory(const std::filesystem::path& path);

/// Returns another opening of a store's directory, for one who makes and renames files in it. A reader gets
/// its path alone: it does neither.
os::file reopened(const os::file& directory, bool writable);

/// Where a store that is to be made at this path comes to lie: symbolic links are followed, also one to where
/// nothing is yet. Throws `already_exists` when something is there but an empty directory, or one in which
/// the making of a store was cut short; `read_only` where the path is the name of a kept checkpoint.
std::filesystem::path free_place(const std::filesystem::path& path);
/// Returns whether that does not throw.
bool is_free(const std::filesystem::path& path);
/// Throws `permission_denied` where the place is a directory that every user may write to, who could replace
/// files of a store in it.
void require_private_place(const std::filesystem::path& place);
/// Returns whether nothing has been put into the directory. A new file system's `lost+found` does not count.
bool is_empty_directory(const std::filesystem::path& path);

/// Stands in for `super` in a directory in which a store is being made, until it is complete.
inline constexpr const char* unfinished_super = "super.new";
/// Returns whether it is a directory in which the making of a store goes on, or was cut short.
bool holds_unfinished_store(const std::filesystem::path& path);

/// Returns whether a store has files of this name, beside `super` and LOCK.
bool is_store_file(const std::string& name);

}  // namespace perdure::store
