// Where a sparse file has data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "os/file.hpp"

namespace perdure::os {

/// The first offset from `offset` on that may hold other bytes than zeros; nothing if there is none. Where
/// the file system does not tell of holes, all of the file is data.
std::optional<std::uint64_t> next_data(const file& sparse, std::uint64_t offset);

/// Where the data at `offset` ends, at most the file's size.
std::uint64_t next_hole(const file& sparse, std::uint64_t offset);

/// A part of a file, in bytes.
struct file_range {
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// All data, up to the file's size, in pieces of at most so many bytes.
std::vector<file_range> data_in(const file& sparse, std::uint64_t most_bytes);

}  // namespace perdure::os
