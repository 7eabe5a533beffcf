// NumPy's .npy files: a header in Python's words, then the elements.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/formats/array_source.hpp>
#include <string>

#include "input_file.hpp"

namespace perdure::formats {

/// The array that begins at a byte of the file and takes up to `bytes`. `bad_input`, `unsupported`.
std::unique_ptr<array_source> open_npy(std::shared_ptr<const input_file> file, std::uint64_t begin,
                                       std::uint64_t bytes, std::string name);

/// What `write_npy` gives, in bytes.
std::uint64_t npy_bytes(array_source& from);
void write_npy(array_source& from, const byte_sink& to);

}  // namespace perdure::formats
