// Bytes compressed in one piece, as chunks of arrays are.
#pragma once

#include <string>
#include <string_view>

namespace perdure::formats {

/// `bad_input` where they are damaged, or become more than `most` bytes.
std::string unpack_gzip(std::string_view packed, std::size_t most);
std::string unpack_zstd(std::string_view packed, std::size_t most);
std::string pack_zstd(std::string_view bytes);

}  // namespace perdure::formats
