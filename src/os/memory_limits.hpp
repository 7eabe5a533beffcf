// How much memory this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace perdure::os {

/// Bytes of memory of the machine.
std::uint64_t physical_memory();

/// The tightest memory limit of the control groups (version 1 or 2) this process is in, in bytes; nothing
/// when there is none. The two paths are parameters for the tests.
std::optional<std::uint64_t> cgroup_memory_limit(
    const std::filesystem::path& membership = "/proc/self/cgroup",
    const std::filesystem::path& hierarchy = "/sys/fs/cgroup");

/// The smaller of the two.
std::uint64_t usable_memory();

/// How much more the control groups let this process use, in bytes, page cache that can be dropped counted as
/// unused; nothing when there is no limit.
std::optional<std::uint64_t> cgroup_memory_left(const std::filesystem::path& membership = "/proc/self/cgroup",
                                                const std::filesystem::path& hierarchy = "/sys/fs/cgroup");

/// How much memory this process could still use: what the machine has available, within the limits.
std::uint64_t available_memory();

/// Bytes of memory of this process that no file backs, private copies of pages of files included. Takes
/// microseconds; may be off by a few hundred pages.
std::uint64_t anonymous_memory();

}  // namespace perdure::os
