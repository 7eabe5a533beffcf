// Files that are written beside their place, and get their name once they are whole.
#pragma once

#include <filesystem>

namespace perdure::workload {

/// Returns the name under which this process writes what is to become `file`: `FILE.partPID-TOKEN.N`, another
/// one at each call. The token stands for the boot of this machine and for the process ids of this container.
/// Thread-safe.
std::filesystem::path part_name(const std::filesystem::path& file);

/// Removes files and directories that processes left which were killed before they gave them the name `file`.
/// Leaves those alone whose process lives or may live: those of another machine, boot or container, as they
/// are seen on a shared file system. Failures are passed over. Lists the directory of the file.
void remove_abandoned_parts(const std::filesystem::path& file) noexcept;

}  // namespace perdure::workload
