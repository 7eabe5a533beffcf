// Pages that are written home past the program's memory: docs/explanation/durability.md, "Written past
// memory".
#include "store/backing/direct_writer.hpp"

#include <algorithm>

#include "os/crc32c.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/journal_image.hpp"

namespace perdure::store {

std::vector<detail::page_run> direct_writer::writable(detail::page_run pages) const {
  // A run that is shorter costs more system calls than it saves copying.
  constexpr std::uint64_t least = 16;
  std::vector<detail::page_run> runs;
  const std::uint64_t end = pages.first + pages.count;
  for (std::uint64_t page = pages.first; page < end;) {
    std::uint64_t stop = page;
    while (stop < end && (!before_.needs(stop) || early_.is_touched(stop))) ++stop;
    if (stop - page >= least) runs.push_back({page, stop - page});
    page = stop + 1;
  }
  return runs;
}

void direct_writer::write(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes) {
  if (!copied_) copied_ = std::make_unique_for_overwrite<std::byte[]>(batch_pages * page_size);
  checksums_.resize(pages.count);
  written_ = pages;
  // Before the first write, which may fail half way. After it settling takes no memory.
  early_.touch(pages);
  for (std::uint64_t done = 0; done < pages.count;) {
    const std::uint64_t count = std::min<std::uint64_t>(batch_pages, pages.count - done);
    for (std::uint64_t i = done; i < done + count; ++i)
      checksums_[i] = copy_page(pages.first + i, copied_.get() + (i - done) * page_size, from + i * page_size,
                                of_bytes[i]);
    parts_.home.write(pages.first + done, count, copied_.get());
    done += count;
  }
}

void direct_writer::settle() noexcept {
  for (std::uint64_t i = 0; i < written_.count; ++i) {
    if (journaled_ != nullptr) journaled_->put_home(written_.first + i, checksums_[i]);
    early_.settle(written_.first + i, checksums_[i]);
  }
}

void copy_to_memory(std::byte* base, detail::page_run pages, const std::vector<detail::page_run>& some,
                    const std::byte* from, std::uint32_t* of_bytes) noexcept {
  for (const detail::page_run& run : some)
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const std::uint64_t at = page - pages.first;
      of_bytes[at] = os::crc32c_copy(0, base + page * page_size, from + at * page_size, page_size);
    }
}

}  // namespace perdure::store
