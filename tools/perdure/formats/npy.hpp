// NumPy's .npy files: a header in Python's words, then the elements.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/array_input.hpp"
#include "formats/input_file.hpp"

namespace perdure::formats {

/// The array that begins at a byte of the file and takes up to `bytes`. `bad_input`, `unsupported`.
std::unique_ptr<array_input> open_npy(std::shared_ptr<const input_file> file, std::uint64_t begin,
                                      std::uint64_t bytes, std::string name);

/// What `write_npy` gives, in bytes.
std::uint64_t npy_bytes(array_input& from);
void write_npy(array_input& from, const byte_sink& to);

}  // namespace perdure::formats
