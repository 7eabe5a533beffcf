// Final output of commands that add to a store.
#pragma once

#include <cstdint>
#include <filesystem>

#include "command.hpp"
#include "output.hpp"

namespace perdure::cli {

/// Adds to what is told with `--json`: how many `checkpoints` were made before the last one, and `epoch` and
/// `disk_bytes` of the store as it is now. Both are 0 where there was nothing to add, and so no store was
/// made.
void tell_grown_store(json& findings, const std::filesystem::path& store, std::uint64_t checkpoints);
/// A line for people.
void tell_grown_store(output& out, const std::filesystem::path& store);

}  // namespace perdure::cli
