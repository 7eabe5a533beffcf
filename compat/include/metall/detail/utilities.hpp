// Arithmetic by the names that programs for Metall use.
#pragma once

#include <cstddef>
#include <utility>

namespace metall::mtlldetail {

/// Begin and end of the block of that number when `length` elements are dealt out to `num_blocks` blocks. The
/// first blocks have one element more where it does not come out even.
inline std::pair<std::size_t, std::size_t> partial_range(const std::size_t length, const std::size_t block_no,
                                                         const std::size_t num_blocks) {
  const std::size_t least = length / num_blocks;
  const std::size_t longer_blocks = length % num_blocks;
  const bool is_longer = block_no < longer_blocks;
  const std::size_t begin = least * block_no + (is_longer ? block_no : longer_blocks);
  return {begin, begin + least + (is_longer ? 1 : 0)};
}

}  // namespace metall::mtlldetail
