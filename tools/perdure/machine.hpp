// Abilities of the kernel and the file system, and limits of this process, found by trying.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace perdure::cli {

/// How stores in a directory can find the pages that a program has changed: rows of `name`, `available` and
/// `used` (by stores, as the environment is); a row with `why_not` where no store can be made. Makes small
/// stores there for a moment.
nlohmann::ordered_json page_trackers(const std::filesystem::path& directory);

/// Whether files in a directory can share blocks, which makes copies of stores free: `directory`,
/// `available`, `why_not`.
nlohmann::ordered_json shared_blocks(const std::filesystem::path& directory);

/// Returns the kernel's setting of transparent huge pages: "always", "madvise", "never", or "unknown".
std::string huge_pages();

/// Limits that stores and pagers can meet, by name; null where there is none.
nlohmann::ordered_json limits();

}  // namespace perdure::cli
