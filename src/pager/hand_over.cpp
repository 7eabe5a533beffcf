// Puts the kernel's own mapping of the file in the place of a region, while threads may touch it.
#include "pager/hand_over.hpp"

#include <sys/mman.h>

#include "os/mapping.hpp"

namespace perdure::pager::detail {

namespace {

void map_in_place(const region_pages& pages, std::size_t reserved, bool shared, int extra_flags) {
  const std::size_t bytes = pages.source.pages() * page_size;
  os::map_as(pages.base(), bytes, PROT_READ, (shared ? MAP_SHARED : MAP_PRIVATE) | extra_flags,
             pages.source.descriptor(), pages.source.offset_of(0));
  if (bytes != reserved) ::munmap(pages.base() + bytes, reserved - bytes);
}

}  // namespace

bool hand_over::is_done_in_the_end() const noexcept {
  std::uint32_t seen;
  while ((seen = state_.load()) == under_way) os::wait_while(state_, seen);
  return seen == done;
}

void hand_over::settle(std::uint32_t state) noexcept {
  state_.store(state);
  os::wake(state_);
}

// Pages that are on their way meanwhile find no place to go to, and are there all the same.
void hand_over::run(region_pages& pages, std::size_t reserved, bool shared) {
  std::uint32_t seen = not_begun;
  if (!state_.compare_exchange_strong(seen, under_way)) {
    static_cast<void>(is_done_in_the_end());
    return;
  }
  pages.faults.stop();
  try {
    map_in_place(pages, reserved, shared, 0);
  } catch (...) {
    pages.faults.go_on();
    settle(not_begun);
    throw;
  }
  settle(done);
}

void hand_over::run_in_child(const region_pages& pages, std::size_t reserved, bool shared) {
  map_in_place(pages, reserved, shared, MAP_FIXED_NOREPLACE);
}

}  // namespace perdure::pager::detail
