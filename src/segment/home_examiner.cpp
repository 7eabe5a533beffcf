// Has parts of a segment examined ahead of the first touch.
#include "segment/home_examiner.hpp"

#include <algorithm>
#include <cerrno>
#include <perdure/error.hpp>
#include <system_error>

namespace perdure::detail {

void open_closed(os::guarded_range& range, home_examiner& examiner, page_run pages) {
  constexpr std::uint64_t step = os::guarded_range::extent_bytes / page_size;
  const std::uint64_t end =
      std::min<std::uint64_t>((pages.first + pages.count + step - 1) / step, range.closable_extents());
  for (std::uint64_t extent = pages.first / step; extent < end; ++extent) {
    while (range.is_closed(extent)) {
      const os::guarded_range::opening found = range.open(extent);
      if (found == os::guarded_range::opening::unfit) examiner.report(extent);
      if (found == os::guarded_range::opening::failed)
        throw error(errc::out_of_memory,
                    "the kernel does not open memory that was closed until its first touch (" +
                        std::generic_category().message(errno) + "); see vm.max_map_count");
    }
  }
}

}  // namespace perdure::detail
