// Mappings of files on a DAX file system: the program writes to the medium itself, and what it writes is
// durable once the cache lines have been written back. No system call is needed, and no page cache is in
// between.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "os/mapping.hpp"

namespace perdure::os {

/// Replaces [address, address + bytes) by a shared mapping of a file on a DAX file system, made so that what
/// the file system must know to find its blocks again is durable before they are first written to (MAP_SYNC).
/// A forked child does not have it. Throws std::system_error; its code is EOPNOTSUPP where files cannot be
/// mapped so.
void map_persistent(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed);
/// The same; false with errno. Async-signal-safe.
bool try_map_persistent(void* address, std::size_t bytes, int file, std::uint64_t offset,
                        access allowed) noexcept;

/// Returns whether the file's first bytes could be mapped so; if not, errno says why, as above.
bool can_map_persistent(int file, std::size_t bytes) noexcept;

/// Makes durable what has been written to these parts of persistent mappings: writes their cache lines back
/// and waits for that. Async-signal-safe; seen by the observer of files, as `file_operation::persist`.
void persist(std::span<const iovec> parts) noexcept;

/// The name of the instruction that `persist` uses on this processor, the cheapest that it has. Empty where
/// it has none that would do; then no file is mapped either.
std::string_view write_back_instruction() noexcept;

/// For tests only: from now on any file can be mapped so, though what is written lies in the page cache and
/// is lost in a power failure. Nothing that a user can set leads here.
void pretend_persistent_memory(bool pretend) noexcept;

}  // namespace perdure::os
