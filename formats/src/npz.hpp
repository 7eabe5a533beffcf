// NumPy's .npz files: archives of .npy files.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

namespace perdure::formats {

/// Members that are no .npy files are left out. What is compressed is unpacked to temporary files.
array_sources open_npz(const std::filesystem::path& path);
void write_npz(std::span<array_source* const> arrays, bool compressed, const byte_sink& to);

}  // namespace perdure::formats
