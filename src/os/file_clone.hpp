// Copying files: by sharing their blocks where the file system can, byte by byte elsewhere.
#pragma once

#include <cstdint>

#include "os/file.hpp"

namespace perdure::os {

/// Makes `to` (empty) a copy of `from` that shares its blocks. False where the file system cannot do it, or
/// the two are on different ones.
bool share_blocks(const file& from, const file& to);

/// Returns whether a new file in the directory could share blocks with this one. Makes one without a name to
/// find out. False too where this process can make no file there.
bool can_share_blocks(const file& directory, const file& of) noexcept;

/// Copies a range to the same place in another file.
void copy_range(const file& from, const file& to, std::uint64_t offset, std::uint64_t bytes);

/// Asks that the first write to a shared block copies no more than `bytes` (XFS: 128 KiB by default). Does
/// nothing where there is no such setting.
void limit_copy_on_write(const file& of, std::uint32_t bytes) noexcept;

/// Asks that an empty file's blocks be overwritten where they are, on a file system that otherwise writes
/// them elsewhere (btrfs, which then keeps all of an old extent for the last block of it still in use). It
/// also ends that file system's own checksums of the file. Does nothing where there is no such setting.
void overwrite_in_place(const file& empty) noexcept;

}  // namespace perdure::os
