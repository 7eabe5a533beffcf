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
  os::protect(memory_.base(), memory_.size(), os::access::none);
  const std::size_t parts = (file_.pages() + pages_of_part - 1) / pages_of_part;
  const std::size_t bytes = (parts + page_bytes - 1) / page_bytes * page_bytes;
  dirty_parts_memory_ = os::reservation(bytes, page_bytes);
  os::map_anonymous(dirty_parts_memory_.base(), bytes, os::access::read_write);
  static_assert(sizeof(std::atomic<bool>) == 1 && std::atomic<bool>::is_always_lock_free);
  dirty_parts_ = reinterpret_cast<std::atomic<bool>*>(dirty_parts_memory_.base());
}

std::span<const checkpointed_mapping::held_run> checkpointed_mapping::hold_dirty() {
  quiet_.emplace();
  const std::size_t all = file_.pages();
  const auto hold = [this](page_number number) {
    for (;;) {
      const page_word seen = pages_[number].read();
      if (seen.state() == page_state::dirtying) {
        // What was stored to it belongs to this checkpoint. Its owner waits for nothing that this thread has.
        pages_[number].wait(seen);
        continue;
      }
      if (seen.state() != page_state::dirty) return;
      const bool is_pinned = seen.pins() != 0;
      if (held_.empty() || held_.back().first + held_.back().count != number ||
          held_.back().is_pinned != is_pinned)
        held_.push_back({number, 0, is_pinned});
      if (!pages_[number].claim(seen, page_state::writing)) continue;
      ++held_.back().count;
      return;
    }
  };
  std::size_t part = 0;
  try {
    for (; part * pages_of_part < all; ++part) {
      if (!dirty_parts_[part].load(std::memory_order_relaxed)) continue;
      // Taken first: a page that another thread makes dirty behind the look at it is noted anew.
      dirty_parts_[part].exchange(false, std::memory_order_acq_rel);
      const std::size_t end = std::min((part + 1) * pages_of_part, all);
      for (std::size_t page = part * pages_of_part; page < end; ++page) hold(static_cast<page_number>(page));
    }
    std::erase_if(held_, [](const held_run& run) { return run.count == 0; });
    for (const held_run& run : held_) {
      if (run.is_pinned) continue;
      const int refused = faults_->protect(address_of(run.first), run.count * page_bytes, true);
      if (refused != 0) os::throw_errno("UFFDIO_WRITEPROTECT", "", refused);
    }
  } catch (...) {
    if (part * pages_of_part < all) dirty_parts_[part].store(true, std::memory_order_release);
    release_held(false, {});
    throw;
  }
  return held_;
}

void checkpointed_mapping::release_held(bool are_written,
                                        const std::function<bool(page_number)>& is_spilled) noexcept {
  for (const held_run& run : held_) {
    const bool is_clean = are_written && !run.is_pinned;
    if (!is_clean && !run.is_pinned) faults_->protect(address_of(run.first), run.count * page_bytes, false);
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto number = static_cast<page_number>(run.first + i);
      if (is_clean) {
        const bool spilled = is_spilled(number);
        pages_[number].settle(page_state::clean,
                              {spilled ? 0 : page_word::spilled_bit, spilled ? page_word::spilled_bit : 0});
      } else {
        note_dirty(number);
        pages_[number].settle(page_state::dirty);
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
    const iovec part{address_of(static_cast<page_number>(end - owned)), owned * page_bytes};
    faults_->drop({&part, 1});
    for (std::size_t page = end - owned; page < end; ++page)
      pages_[page].settle(page_state::absent, {page_word::spilled_bit | page_word::history_bits, 0});
    resident_.fetch_sub(owned);
    owned = 0;
  };
  const std::size_t end = first + count;
  for (std::size_t number = first; number < end; ++number) {
    page& one = pages_[number];
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
  page& one = pages_[number];
  for (;;) {
    const page_word seen = one.read();
    if (seen.state() == page_state::absent) {
      if (one.claim(seen, page_state::loading)) return true;
    } else if (seen.pins() == 0 && (seen.state() == page_state::clean || seen.state() == page_state::dirty)) {
      if (!one.claim(seen, page_state::evicting)) continue;
      const iovec part{address_of(number), page_bytes};
      faults_->drop({&part, 1});
      resident_.fetch_sub(1);
      one.go_on(page_state::evicting, page_state::loading);
      return true;
    } else {
      return false;
    }
  }
}

void checkpointed_mapping::vacate(page_number first, std::size_t count) noexcept {
  for (std::size_t number = first; number < first + count; ++number)
    pages_[number].settle(page_state::absent, {page_word::spilled_bit | page_word::history_bits, 0});
}

void checkpointed_mapping::drain() {
  if (!has_evictor()) return;
  drains_.store(true);
  for (;;) {
    const std::uint32_t done = evictor_done_.load();
    if (!drains_.load()) break;
    call_evictor();
    os::wait_while(evictor_done_, done, timespec{0, 10'000'000});
  }
  // The evictor has tried just now.
  const int failed = write_error_.load();
  if (failed != 0) os::throw_errno("write", file_.name(), failed);
}

}  // namespace perdure::pager::detail
