// How large a store may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::store {

/// Returns the capacity in whole GiB that a store gets for the one that is wanted. Throws `invalid_argument`
/// where there can be no such store.
std::uint64_t sound_capacity(std::size_t wanted, std::uint64_t home_file_bytes);

}  // namespace perdure::store
