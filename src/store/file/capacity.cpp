// Checks how large a store is to be.
#include "store/file/capacity.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <string>

#include "segment/growth.hpp"
#include "segment/segment.hpp"

namespace perdure::store {

namespace {

// What an empty store has in its directory fits many times.
constexpr std::size_t least_limit = std::size_t{64} << 10;

// Blocks need more addresses than they have bytes: a heap's bookkeeping and the gaps between blocks take
// some, and a block of a GiB or more begins where no other does. Stores of whole GiB have only as many
// addresses as they have bytes.
std::uint64_t address_space_for(std::uint64_t limit) {
  constexpr std::uint64_t step = detail::segment_alignment;
  if (limit % step == 0) return limit;
  return detail::round_up(limit, step) + (limit > step / 2 ? step : 0);
}

}  // namespace

sound_capacity::sound_capacity(std::size_t wanted, std::uint64_t home_file_bytes) {
  if (wanted == 0 || wanted > layout::most_capacity) {
    throw error(errc::invalid_argument,
                "a store's capacity must be from 1 byte to 64 TiB, not " + std::to_string(wanted));
  }
  limit = std::max(wanted, least_limit);
  reserved = std::min(address_space_for(limit), layout::most_capacity);
  if ((reserved - 1) / home_file_bytes + 1 > layout::most_home_files) {
    throw error(errc::invalid_argument, "a store of this capacity would have more than " +
                                            std::to_string(layout::most_home_files) +
                                            " home files: choose a larger home file size");
  }
}

void sound_capacity::record_in(layout::super_slot& slot) const noexcept {
  slot.capacity = std::max(slot.capacity, reserved);
  const bool is_limited = limit < slot.capacity;
  slot.limit = is_limited ? limit : 0;
  slot.compat = is_limited ? slot.compat | layout::compat_limited : slot.compat & ~layout::compat_limited;
}

std::uint64_t limit_in(const layout::super_slot& slot) noexcept {
  return (slot.compat & layout::compat_limited) != 0 ? slot.limit : slot.capacity;
}

}  // namespace perdure::store
