// A mapping for checkpoints: claims all dirty pages of one moment, lets them go again, forgets pages.
#include "pager/checkpointed_mapping.hpp"

#include <algorithm>

#include "os/mapping.hpp"
#include "os/system_error.hpp"
#include "pager/user_faults.hpp"

namespace perdure::pager::detail {

checkpointed_mapping::checkpointed_mapping(std::unique_ptr<page_source> source, const options& wanted,
                                           os::reservation place)
    : budgeted_mapping(std::move(source), place.size(), wanted, std::make_unique<user_faults>(),
                       tier::uffd_sigbus, std::move(place)) {
  os::protect(memory().base(), memory().size(), os::access::none);
  pages().dirtied.keep(pages().source.pages());
}

std::span<const checkpointed_mapping::held_run> checkpointed_mapping::hold_dirty() {
  quiet_.emplace();
  dirty_parts& parts = pages().dirtied;
  const std::size_t all = pages().source.pages();
  std::size_t part = 0;
  try {
    for (; part < parts.count(); ++part) {
      if (!parts.take(part)) continue;
      const std::size_t end = std::min((part + 1) * dirty_parts::pages_of_part, all);
      for (std::size_t page = part * dirty_parts::pages_of_part; page < end; ++page)
        hold(static_cast<page_number>(page));
    }
    std::erase_if(held_, [](const held_run& run) { return run.count == 0; });
    for (const held_run& run : held_) {
      if (run.is_pinned) continue;
      const int refused = pages().protect({run.first, run.count});
      if (refused != 0) os::throw_errno("UFFDIO_WRITEPROTECT", "", refused);
    }
  } catch (...) {
    if (part < parts.count()) parts.note_part(part);
    release_held(false, {});
    throw;
  }
  return held_;
}

// Claims the page if it is dirty, and adds it to what is held.
void checkpointed_mapping::hold(page_number number) {
  page& one = pages()[number];
  for (;;) {
    const page_word seen = one.read();
    if (seen.state() == page_state::dirtying) {
      // What was written to the page belongs to this checkpoint. The thread that owns the page waits for
      // nothing that this thread owns.
      one.wait(seen);
      continue;
    }
    if (seen.state() != page_state::dirty) return;
    const bool is_pinned = seen.pins() != 0;
    if (held_.empty() || held_.back().first + held_.back().count != number ||
        held_.back().is_pinned != is_pinned)
      held_.push_back({number, 0, is_pinned});
    if (!one.claim(seen, page_state::writing)) continue;
    ++held_.back().count;
    return;
  }
}

void checkpointed_mapping::release_held(bool are_written,
                                        const std::function<bool(page_number)>& is_spilled) noexcept {
  for (const held_run& run : held_) {
    const bool is_clean = are_written && !run.is_pinned;
    if (!is_clean && !run.is_pinned) pages().unprotect({run.first, run.count});
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto number = static_cast<page_number>(run.first + i);
      if (is_clean) {
        const bool spilled = is_spilled(number);
        pages()[number].settle(page_state::clean,
                               {spilled ? 0 : page_word::spilled_bit, spilled ? page_word::spilled_bit : 0});
      } else {
        pages().dirtied.note(number);
        pages()[number].settle(page_state::dirty);
      }
    }
  }
  held_.clear();
  quiet_.reset();
}

void checkpointed_mapping::forget(page_number first, std::size_t count) noexcept {
  const base::signals_blocked quiet;
  std::size_t owned = 0;
  const auto drop = [&](std::size_t end) {
    if (owned == 0) return;
    const iovec part{pages().address_of(end - owned), owned * page_size};
    pages().faults.drop({&part, 1});
    for (std::size_t page = end - owned; page < end; ++page)
      pages()[page].settle(page_state::absent, {page_word::spilled_bit | page_word::history_bits, 0});
    budget().give_back(owned);
    owned = 0;
  };
  const std::size_t end = first + count;
  for (std::size_t number = first; number < end; ++number) {
    page& one = pages()[number];
    bool is_owned = false;
    for (bool decided = false; !decided;) {
      const page_word seen = one.read();
      decided = true;
      if (seen.state() == page_state::absent) {
        if (seen.is_spilled()) one.unspill();
      } else if (seen.pins() == 0 &&
                 (seen.state() == page_state::clean || seen.state() == page_state::dirty)) {
        decided = is_owned = one.claim(seen, page_state::evicting);
      }
    }
    if (is_owned) {
      ++owned;
    } else {
      drop(number);
    }
  }
  drop(end);
}

bool checkpointed_mapping::take_out(page_number number) noexcept {
  page& one = pages()[number];
  for (;;) {
    const page_word seen = one.read();
    if (seen.state() == page_state::absent) {
      if (one.claim(seen, page_state::loading)) return true;
    } else if (seen.pins() == 0 && (seen.state() == page_state::clean || seen.state() == page_state::dirty)) {
      if (!one.claim(seen, page_state::evicting)) continue;
      const iovec part{pages().address_of(number), page_size};
      pages().faults.drop({&part, 1});
      budget().give_back(1);
      one.go_on(page_state::evicting, page_state::loading);
      return true;
    } else {
      return false;
    }
  }
}

void checkpointed_mapping::vacate(page_number first, std::size_t count) noexcept {
  for (std::size_t number = first; number < first + count; ++number)
    pages()[number].settle(page_state::absent, {page_word::spilled_bit | page_word::history_bits, 0});
}

}  // namespace perdure::pager::detail
