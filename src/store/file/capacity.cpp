// Checks how large a store is to be.
#include "store/file/capacity.hpp"

#include <perdure/error.hpp>
#include <string>

#include "segment/growth.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

std::uint64_t sound_capacity(std::size_t wanted, std::uint64_t home_file_bytes) {
  if (wanted == 0 || wanted > layout::most_capacity) {
    throw error(errc::invalid_argument,
                "a store's capacity must be from 1 byte to 64 TiB, not " + std::to_string(wanted));
  }
  const std::uint64_t capacity = detail::round_up(wanted, detail::segment_alignment);
  if ((capacity - 1) / home_file_bytes + 1 > layout::most_home_files) {
    throw error(errc::invalid_argument, "a store of this capacity would have more than " +
                                            std::to_string(layout::most_home_files) +
                                            " home files: choose a larger home file size");
  }
  return capacity;
}

}  // namespace perdure::store
