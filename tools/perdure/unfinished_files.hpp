// Files that a command has begun and that an interrupted one must not leave behind.
#pragma once

#include <filesystem>

namespace perdure::cli {

/// From now until `finished`, SIGINT, SIGTERM and SIGHUP remove the file before they end the program, unless
/// they were ignored. One file at a time is remembered; its path may be up to 4095 bytes.
void remove_if_interrupted(const std::filesystem::path& file);
/// Removes the file that is remembered. May be called in a signal handler, before the program is ended.
void remove_unfinished() noexcept;
void finished(const std::filesystem::path& file) noexcept;

}  // namespace perdure::cli
