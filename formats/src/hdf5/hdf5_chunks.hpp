// Chunks of a dataset that its file holds.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/array/extents.hpp>
#include <vector>

#include "hdf5/hdf5_handle.hpp"

namespace perdure::formats {

/// Returns the chunks that a dataset holds, clipped to its shape, if they are less than half of its
/// `declared` bytes and there are 64 MiB of these or more; nothing else. `unsupported` if finding them takes
/// too long.
std::optional<std::vector<slab>> stored_chunks(hid_t dataset, hid_t properties, const extents& dims,
                                               std::size_t element_size);

}  // namespace perdure::formats
