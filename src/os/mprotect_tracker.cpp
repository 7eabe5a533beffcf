// Page tracking by write protection and SIGSEGV: needs nothing of the kernel that is not decades old.
//
// The unit is a granule, 64 KiB unless told, because each fault costs 7 to 20 microseconds and each change of
// protection may split a mapping. System calls that write into protected memory (read(2) into a buffer in
// the segment) fail with EFAULT instead of faulting: a limit of this method, and why it comes last.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>

#include "os/mapping.hpp"
#include "os/memory_faults.hpp"
#include "os/page_tracker.hpp"
#include "os/write_gate.hpp"

namespace perdure::os {

namespace {

using word = std::atomic<std::uint64_t>;
static_assert(word::is_always_lock_free, "the signal handler may use lock-free atomics only");

class mprotect_tracker final : public page_tracker {
 public:
  mprotect_tracker(guarded_range& memory, std::size_t granule, write_witness* witness)
      : memory_(memory),
        base_(memory.base()),
        granule_(granule),
        witness_(witness),
        words_((memory.size() / granule + 63) / 64),
        bitmap_((words_ * sizeof(word) + default_granule - 1) / default_granule * default_granule,
                default_granule) {
    protect(bitmap_.base(), bitmap_.size(), access::read_write);
    // Zero memory is a valid array of zero atomics on every platform this builds for.
    dirty_ = reinterpret_cast<word*>(bitmap_.base());
    watch_.emplace(base_, memory.size(), watched_touches::writes, &mprotect_tracker::on_write, this);
  }

  ~mprotect_tracker() override { detach(); }

  tracker_kind kind() const noexcept override { return tracker_kind::mprotect; }
  bool rearms() const noexcept override { return true; }
  access access_before_writes() const noexcept override { return access::read; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read);
    std::size_t open = open_.load(std::memory_order_relaxed);
    while (open < offset + bytes && !open_.compare_exchange_weak(open, offset + bytes)) {
    }
  }

  void collect(const byte_range& part, std::vector<byte_range>& dirty) override {
    const std::size_t first_reported = dirty.size();
    const std::size_t begin = part.offset / granule_;
    const std::size_t end = (part.offset + part.bytes + granule_ - 1) / granule_;
    for (std::size_t index = begin / 64; index * 64 < end; ++index) {
      std::uint64_t bits = dirty_[index].load(std::memory_order_relaxed);
      while (bits != 0) {
        const std::size_t number = index * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        bits &= bits - 1;
        if (number < begin || number >= end) continue;
        const std::uint64_t offset = number * granule_;
        if (dirty.size() > first_reported && dirty.back().offset + dirty.back().bytes == offset) {
          dirty.back().bytes += granule_;
        } else {
          dirty.push_back({offset, granule_});
        }
      }
    }
    // Marks are forgotten before the memory is protected. A thread may have marked a granule and not yet made
    // it writable: if its mark were forgotten after that, it would be writable and unmarked for good. This
    // way it is protected last, or marked again.
    for (std::size_t i = first_reported; i < dirty.size(); ++i) {
      forget(dirty[i]);
      try {
        memory_.protect(dirty[i].offset, dirty[i].bytes, access::read);
      } catch (...) {
        // All that were reported so far are reported again.
        for (std::size_t k = first_reported; k <= i; ++k) mark(dirty[k]);
        throw;
      }
    }
  }

  void hold_writers(const byte_range& part) override {
    gate_.shut(base_ + part.offset, base_ + part.offset + part.bytes);
    try {
      memory_.protect(part.offset, part.bytes, access::read);
    } catch (...) {
      gate_.open();
      throw;
    }
  }
  // Each granule becomes writable at the first write to it, as always.
  void admit_writers(const byte_range&) noexcept override { gate_.open(); }

  void detach() noexcept override { watch_.reset(); }

  int admit_ahead(const byte_range& part) noexcept override {
    for (std::size_t offset = part.offset; offset < part.offset + part.bytes; offset += granule_) {
      const int error = answer(base_ + offset) & ~by_witness;
      if (error != 0) return error;
    }
    return 0;
  }

 private:
  static constexpr int by_witness = 1 << 30;  // with an errno

  static bool on_write(void* tracker, std::byte* address, touch) noexcept {
    auto& self = *static_cast<mprotect_tracker*>(tracker);
    // Nothing may write to memory that is not open.
    if (address >= self.base_ + self.open_.load(std::memory_order_relaxed)) return false;
    const int error = self.answer(address);
    if ((error & by_witness) == 0) return error == 0;
    self.witness_->refused(address, error & ~by_witness);
    return true;
  }

  void forget(const byte_range& part) noexcept {
    for (std::size_t g = part.offset / granule_; g < (part.offset + part.bytes) / granule_; ++g)
      dirty_[g / 64].fetch_and(~(std::uint64_t{1} << (g % 64)));
  }
  // Marks the granules. Whether all of them were marked before.
  bool mark(const byte_range& part) noexcept {
    bool was_marked = true;
    for (std::size_t g = part.offset / granule_; g < (part.offset + part.bytes) / granule_; ++g) {
      const std::uint64_t bit = std::uint64_t{1} << (g % 64);
      if ((dirty_[g / 64].fetch_or(bit) & bit) == 0) was_marked = false;
    }
    return was_marked;
  }

  // 0 once the thread can write; else an errno, with `by_witness` set if the witness refused.
  int answer(std::byte* address) noexcept {
    int error = 0;
    gate_.pass(address, [&] {
      error = admit(address);
      return true;
    });
    return error;
  }

  // Marks the granule and makes it writable.
  int admit(std::byte* address) noexcept {
    std::size_t first = static_cast<std::size_t>(address - base_) / granule_;
    std::size_t count = 1;
    const std::size_t all = open_.load(std::memory_order_relaxed) / granule_;
    for (;;) {
      if (witness_ != nullptr) {
        byte_range part{first * granule_, count * granule_};
        if (!witness_->prepare(part)) return errno | by_witness;
        first = part.offset / granule_;
        count = part.bytes / granule_;
      }
      const byte_range opened{first * granule_, count * granule_};
      // Marked before, as other threads may write to it as soon as it is writable; and after, since it may
      // have been collected and protected in between.
      mark(opened);
      if (memory_.try_protect(opened.offset, opened.bytes, access::read_write)) {
        if (mark(opened) || witness_ == nullptr) return 0;
        continue;
      }
      // Out of mappings (vm.max_map_count): a larger piece has fewer borders. Aligned powers of two, so
      // the pieces nest.
      if (errno != ENOMEM || count >= all) return errno;
      count *= 2;
      first = first / count * count;
      count = std::min(count, all - first);
      if (gate_.is_shut_for(base_ + first * granule_, base_ + (first + count) * granule_)) {
        // It must not become writable now; the thread faults again until it may.
        ::sched_yield();
        return 0;
      }
    }
  }

  guarded_range& memory_;
  std::byte* base_;
  std::size_t granule_;
  write_witness* witness_;
  std::size_t words_;
  reservation bitmap_;
  word* dirty_ = nullptr;
  std::atomic<std::size_t> open_{0};  // end of the furthest part opened so far
  write_gate gate_;
  std::optional<fault_watch> watch_;
};

}  // namespace

std::unique_ptr<page_tracker> make_mprotect_tracker(guarded_range& memory, std::size_t granule,
                                                    write_witness* witness) {
  return std::make_unique<mprotect_tracker>(memory, granule, witness);
}

}  // namespace perdure::os
