// Changes of a page's state that wake threads or wait for them.
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

page_word page::settle(page_state state, settling change) noexcept {
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  PERDURE_DEBUG_INVARIANT(is_owned(page_word(seen).state()) && !is_owned(state));
  std::uint32_t next;
  do {
    next = (page_word(seen).with(state).bits() & ~(page_word::waiters_bit | change.clear)) | change.set;
  } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel));
  if (page_word(seen).has_waiters()) os::wake(word_);
  return seen;
}

bool page::go_on_unless_awaited(page_state owned, std::uint32_t set) noexcept {
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  while (!page_word(seen).has_waiters()) {
    if (word_.compare_exchange_weak(seen, page_word(seen).with(owned).bits() | set,
                                    std::memory_order_acq_rel))
      return true;
  }
  return false;
}

void page::wait(page_word seen) noexcept {
  std::uint32_t awaited = seen.bits();
  if (!seen.has_waiters()) {
    std::uint32_t expected = awaited;
    awaited |= page_word::waiters_bit;
    if (!word_.compare_exchange_strong(expected, awaited, std::memory_order_acq_rel)) return;
  }
  os::wait_while(word_, awaited);
}

}  // namespace perdure::pager::detail
