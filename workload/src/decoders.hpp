// The decoder of each codec, in a file of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/workload/compression.hpp>

namespace perdure::workload {

std::unique_ptr<decoder> make_bzip2_decoder();
std::unique_ptr<decoder> make_deflate_decoder();
std::unique_ptr<decoder> make_gzip_decoder();
std::unique_ptr<decoder> make_xz_decoder();
std::unique_ptr<decoder> make_zlib_decoder();
std::unique_ptr<decoder> make_zstd_decoder();

// Decoders that refuse bytes which ask for a window of more than about so many bytes.
std::unique_ptr<decoder> make_xz_decoder(std::uint64_t most_window);
std::unique_ptr<decoder> make_zstd_decoder(std::uint64_t most_window);

}  // namespace perdure::workload
