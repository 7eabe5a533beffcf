// Codecs of zarr's chunks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "zarr_array.hpp"

namespace perdure::formats {

/// Returns the codec of that name in either version of zarr. `unsupported`, which names the codec, for one
/// that is not known or that this program was built without.
zarr_codec zarr_codec_named(std::string_view name);
/// Returns the bytes that a chunk was made from, `most` at most. `bad_input` for damaged bytes,
/// `std::bad_alloc`.
std::string decode_zarr_chunk(const std::vector<zarr_codec>& codecs, std::string bytes, std::size_t most);
/// Removes a CRC-32C from the end of the bytes. `bad_input` if it is not theirs.
void take_crc32c(std::string& bytes);

}  // namespace perdure::formats
