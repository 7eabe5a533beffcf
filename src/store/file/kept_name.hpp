// Names of kept checkpoints, STORE@LABEL, which name nothing that can be made or changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace perdure::store {

/// The directory in a store that has its kept checkpoints, each in one named after its epoch.
inline constexpr const char* kept_directory_name = "epochs";

/// Returns the epoch that a text is in decimal, or nothing where the text is no number.
std::optional<std::uint64_t> epoch_in(std::string_view text) noexcept;

/// Throws `read_only` where a store that is to be made would have the name of a kept checkpoint, STORE@LABEL.
void require_no_kept_name(const std::filesystem::path& path);

}  // namespace perdure::store
