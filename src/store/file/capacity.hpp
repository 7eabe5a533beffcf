// How large a store may be.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/file/layout.hpp"

namespace perdure::store {

/// A capacity that a store can have.
struct sound_capacity {
  /// Rounds `wanted` up to what a store can have. Throws `invalid_argument` where there can be no such store.
  sound_capacity(std::size_t wanted, std::uint64_t home_file_bytes);

  std::uint64_t reserved;  ///< bytes of address space, in whole GiB
  std::uint64_t limit;     ///< bytes that blocks may take

  /// Records the limit, and the address space if it is more than what is recorded.
  void record_in(layout::super_slot& slot) const noexcept;
};

/// Returns the bytes that the blocks in a store may take.
std::uint64_t limit_in(const layout::super_slot& slot) noexcept;

}  // namespace perdure::store
