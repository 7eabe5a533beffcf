// NumPy's .npy files: a header in Python's words, then the elements.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "input_file.hpp"
#include "opened_arrays.hpp"
#include "output_file.hpp"

namespace perdure::formats {

/// Where an array is: at a byte of the file, in up to `bytes`. `check`, unless it is empty, is called before
/// elements are first read, and throws if they are damaged.
struct npy_place {
  std::shared_ptr<const input_file> file;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::function<void()> check = {};
};

/// Returns whether the bytes at a place begin as those of a .npy file.
bool is_npy(const npy_place& from);
/// Opens an array, and adds what of it is lost. `bad_input`, `unsupported`.
std::unique_ptr<array_source> open_npy(npy_place from, const std::string& name, std::vector<loss>& losses);

/// Returns the number of bytes that `write_npy` gives.
std::uint64_t npy_bytes(array_source& from);
/// Writes an array. `unsupported` for a type that NumPy does not have, and for texts that are not UTF-8 or
/// end in a zero character.
void write_npy(array_source& from, const byte_sink& to);
/// Writes a file of an array. Elements that nobody has stored become holes of a file that may have some.
void write_npy(array_source& from, output_file& to);

}  // namespace perdure::formats
