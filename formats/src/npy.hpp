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

/// Returns the number of bytes that `write_npy` gives.
std::uint64_t npy_bytes(array_source& from);
/// Writes an array. `unsupported` for a type that NumPy does not have, and for texts that are not UTF-8 or
/// end in a zero character.
void write_npy(array_source& from, const byte_sink& to);

}  // namespace perdure::formats
