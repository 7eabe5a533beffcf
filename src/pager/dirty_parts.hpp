// Which parts of a region have pages that were made dirty, for checkpoints, which would otherwise look at
// every page.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "os/mapping.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// Notes nothing, and costs nothing, until it is told to. All functions but `keep` are async-signal-safe.
class dirty_parts {
 public:
  static constexpr std::size_t pages_of_part = 512;

  /// From now on parts are noted. Before the first page is touched. Throws std::system_error.
  void keep(std::size_t pages) {
    count_ = (pages + pages_of_part - 1) / pages_of_part;
    memory_ = os::reservation((count_ + page_size - 1) / page_size * page_size, page_size);
    os::map_anonymous(memory_.base(), memory_.size(), os::access::read_write);
    // Zero memory is a valid array of parts that have no dirty pages.
    static_assert(sizeof(std::atomic<bool>) == 1 && std::atomic<bool>::is_always_lock_free);
    parts_ = reinterpret_cast<std::atomic<bool>*>(memory_.base());
  }

  std::size_t count() const noexcept { return count_; }

  /// Before the page becomes dirty.
  void note(page_number page) noexcept {
    if (parts_ != nullptr) note_part(page / pages_of_part);
  }
  void note_part(std::size_t part) noexcept {
    // An exchange and not a plain store instruction: the thread that takes the note must see every page state
    // that changed before the note was made.
    parts_[part].exchange(true, std::memory_order_acq_rel);
  }

  /// Returns whether the part was noted; it no longer is. To be asked before the pages of the part are looked
  /// at: a page that another thread makes dirty behind that look is noted anew.
  bool take(std::size_t part) noexcept {
    return parts_[part].load(std::memory_order_relaxed) &&
           parts_[part].exchange(false, std::memory_order_acq_rel);
  }

 private:
  os::reservation memory_;
  std::atomic<bool>* parts_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace perdure::pager::detail
