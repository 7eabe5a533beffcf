// A short text by which a file is known again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace perdure::workload {

/// Returns a fingerprint of the file's content, which does not depend on its name: a hash of its length and
/// of its first and last MiB. Nothing for what is no regular file.
std::optional<std::string> file_fingerprint(const std::filesystem::path& path);

}  // namespace perdure::workload
