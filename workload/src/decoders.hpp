// The decoder of each codec, in a file of its own.
#pragma once

#include <memory>
#include <perdure/workload/compression.hpp>

namespace perdure::workload {

std::unique_ptr<decoder> make_bzip2_decoder();
std::unique_ptr<decoder> make_deflate_decoder();
std::unique_ptr<decoder> make_gzip_decoder();
std::unique_ptr<decoder> make_xz_decoder();
std::unique_ptr<decoder> make_zlib_decoder();
std::unique_ptr<decoder> make_zstd_decoder();

}  // namespace perdure::workload
