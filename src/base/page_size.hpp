// The size of a page, one for all layers.
#pragma once

#include <cstddef>

namespace perdure {

/// The unit of tracking, checksums, journalling and paging. Fixed by the on-disk format, not by the kernel.
inline constexpr std::size_t page_size = 4096;

}  // namespace perdure
