// Names of kept checkpoints, STORE@LABEL, which name nothing that can be made or changed.
#pragma once

#include <filesystem>

namespace perdure {

/// The directory in a store that has its kept checkpoints, each in one named after its epoch.
inline constexpr const char* kept_directory_name = "epochs";

/// Throws `read_only` where a store that is to be made would have the name of a kept checkpoint, STORE@LABEL.
void require_no_kept_name(const std::filesystem::path& path);

}  // namespace perdure
