// NumPy's .npz files: archives of .npy files.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <span>

#include "opened_arrays.hpp"

namespace perdure::formats {

/// Opens an archive, or the member that `how` names. Members are arrays if they begin as .npy files do,
/// whatever they are called. Others, and those of a type that is not known, are left out and named.
/// Compressed members are unpacked to temporary files. `bad_input` for a name that is not UTF-8 and for two
/// members of one name.
opened_arrays open_npz(const std::filesystem::path& path, const opening& how);
/// Writes an archive. `unsupported` for a name that is not UTF-8, and as `write_npy`.
void write_npz(std::span<array_source* const> arrays, bool compressed, const byte_sink& to);

}  // namespace perdure::formats
