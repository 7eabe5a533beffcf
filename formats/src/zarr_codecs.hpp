// Codecs of zarr's chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zarr_array.hpp"

namespace perdure::formats {

/// Returns the codec of that name in either version of zarr. `unsupported`, which names the codec, for one
/// that is not known or that this program was built without.
zarr_codec zarr_codec_named(std::string_view name);
/// Returns how many bytes a file can have that these codecs make of `size` bytes.
std::uint64_t most_encoded(const std::vector<zarr_codec>& codecs, std::uint64_t size) noexcept;
/// Returns the first `kept` of the `size` bytes that a chunk was made from. `bad_input` for damaged bytes and
/// for those of another number of bytes, `std::bad_alloc`. Takes memory for the bytes that are kept, if the
/// last codec to decode is not crc32c.
std::string decode_zarr_elements(const std::vector<zarr_codec>& codecs, std::string bytes, std::uint64_t size,
                                 std::size_t kept);
/// Returns the bytes that a chunk of elements of any length was made from, `most` at most. Errors as above.
std::string decode_zarr_texts(const std::vector<zarr_codec>& codecs, std::string bytes, std::size_t most);
/// Removes a CRC-32C from the end of the bytes. `bad_input` if it is not theirs.
void take_crc32c(std::string& bytes);

}  // namespace perdure::formats
