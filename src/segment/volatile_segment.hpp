// A segment of ordinary memory: nothing of it outlives the process.
#pragma once

#include <cstddef>
#include <memory>

#include "segment/segment.hpp"

namespace perdure::detail {

/// Reserves `capacity` bytes (rounded up to 1 GiB) of address space; memory is taken when touched.
/// Throws `perdure::error` (`out_of_memory`) when the address space cannot be had.
std::unique_ptr<segment> make_volatile_segment(std::size_t capacity);

}  // namespace perdure::detail
