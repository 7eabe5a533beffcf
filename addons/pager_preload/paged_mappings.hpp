// The mappings of this process that the pager serves instead of the kernel, and what becomes of them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <perdure/pager.hpp>

namespace perdure::pager_preload {

/// A mapping asked for with mmap, without an address. Null: the kernel shall make it, as it is not eligible,
/// or the pager failed.
void* map_paged(std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept;

/// Returns whether any of these bytes belong to one. Async-signal-safe.
bool is_paged(const void* address, std::size_t bytes) noexcept;

/// Lets go of what of these bytes belongs to them, and unmaps the rest: as munmap.
int unmap(std::byte* address, std::size_t bytes) noexcept;

/// Replaces those that have any of these bytes by the kernel's own mappings, for calls that only the kernel
/// can answer. False with errno: it could not be done.
bool leave_to_kernel(const void* address, std::size_t bytes) noexcept;

/// False: the bytes are not all of one paged mapping.
bool advise(std::byte* address, std::size_t bytes, pager::advice what) noexcept;
/// Returns whether the bytes are all of one paged mapping.
bool is_within_one(const void* address, std::size_t bytes) noexcept;

}  // namespace perdure::pager_preload
