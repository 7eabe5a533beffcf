// Where a sparse file has data.
#pragma once

#include <cstdint>
#include <optional>

#include "os/file.hpp"

namespace perdure::os {

/// The first offset from `offset` on that may hold other bytes than zeros; nothing if there is none. Where
/// the file system does not tell of holes, all of the file is data.
std::optional<std::uint64_t> next_data(const file& sparse, std::uint64_t offset);

/// Where the data at `offset` ends, at most the file's size.
std::uint64_t next_hole(const file& sparse, std::uint64_t offset);

}  // namespace perdure::os
