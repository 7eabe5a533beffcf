// Keeps pages in memory for system calls, which cannot wait for the pager.
#include "pager/page_pins.hpp"

#include <cerrno>

namespace perdure::pager::detail {

page_pins::result page_pins::pin(page_span pages, os::touch how) noexcept {
  result made;
  std::size_t done = 0;
  while (done < pages.count && made.what == outcome::pinned) {
    bool is_first = false;
    made.failed = pin_one(static_cast<page_number>(pages.first + done), how, is_first);
    if (made.failed) {
      made.what = outcome::failed;
      break;
    }
    ++done;
    if (is_first && pinned_.fetch_add(1) + 1 + least_unpinned > budget_.most()) made.what = outcome::no_room;
  }
  if (made.what != outcome::pinned) unpin({pages.first, done});
  return made;
}

std::optional<failed_transfer> page_pins::pin_one(page_number number, os::touch how,
                                                  bool& is_first) noexcept {
  for (;;) {
    const page_word seen = pages_[number].read();
    const bool is_there =
        seen.state() == page_state::dirty || (seen.state() == page_state::clean && how == os::touch::read);
    if (is_there) {
      if (seen.pins() == page_word::most_pins)
        return pages_.failure_at(number, failure::operation::read, EOVERFLOW);
      if (!pages_[number].add_pin(seen)) continue;
      is_first = seen.pins() == 0;
      return std::nullopt;
    }
    if (seen.state() == page_state::writing) {
      pages_[number].wait(seen);
    } else if (const auto failed = faults_.bring_in(number, how)) {
      return failed;
    }
  }
}

void page_pins::unpin(page_span pages) noexcept {
  for (std::size_t i = 0; i < pages.count; ++i) {
    if (pages_[pages.first + i].remove_pin()) pinned_.fetch_sub(1);
  }
}

}  // namespace perdure::pager::detail
