// Page tracking by write protection and SIGSEGV: needs nothing of the kernel that is not decades old.
//
// The unit is a granule of 64 KiB, because each fault costs 7 to 20 microseconds and each change of
// protection may split a mapping. System calls that store into protected memory (read(2) into a buffer in
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

constexpr std::size_t granule = std::size_t{64} << 10;

using word = std::atomic<std::uint64_t>;
static_assert(word::is_always_lock_free, "the signal handler may use lock-free atomics only");

class mprotect_tracker final : public page_tracker {
 public:
  explicit mprotect_tracker(guarded_range& memory)
      : memory_(memory),
        base_(memory.base()),
        words_((memory.size() / granule + 63) / 64),
        bitmap_((words_ * sizeof(word) + granule - 1) / granule * granule, granule) {
    protect(bitmap_.base(), bitmap_.size(), access::read_write);
    // Zero memory is a valid array of zero atomics on every platform this builds for.
    dirty_ = reinterpret_cast<word*>(bitmap_.base());
    watch_.emplace(base_, memory.size(), watched_touches::stores, &mprotect_tracker::on_store, this);
  }

  ~mprotect_tracker() override { detach(); }

  tracker_kind kind() const noexcept override { return tracker_kind::mprotect; }
  bool rearms() const noexcept override { return true; }
  access access_before_stores() const noexcept override { return access::read; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read);
    std::size_t open = open_.load(std::memory_order_relaxed);
    while (open < offset + bytes && !open_.compare_exchange_weak(open, offset + bytes)) {
    }
  }

  void collect(const byte_range& part, std::vector<byte_range>& dirty) override {
    const std::size_t first_reported = dirty.size();
    const std::size_t begin = part.offset / granule;
    const std::size_t end = (part.offset + part.bytes + granule - 1) / granule;
    for (std::size_t index = begin / 64; index * 64 < end; ++index) {
      std::uint64_t bits = dirty_[index].load(std::memory_order_relaxed);
      while (bits != 0) {
        const std::size_t number = index * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        bits &= bits - 1;
        if (number < begin || number >= end) continue;
        const std::uint64_t offset = number * granule;
        if (dirty.size() > first_reported && dirty.back().offset + dirty.back().bytes == offset) {
          dirty.back().bytes += granule;
        } else {
          dirty.push_back({offset, granule});
        }
      }
    }
    // Protect before forgetting: a failure half way leaves granules marked, and they are reported again.
    for (std::size_t i = first_reported; i < dirty.size(); ++i) {
      memory_.protect(dirty[i].offset, dirty[i].bytes, access::read);
    }
    for (std::size_t i = first_reported; i < dirty.size(); ++i) {
      const std::size_t first = dirty[i].offset / granule;
      for (std::size_t g = first; g < first + dirty[i].bytes / granule; ++g) {
        dirty_[g / 64].fetch_and(~(std::uint64_t{1} << (g % 64)), std::memory_order_relaxed);
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
  // Each granule is made writable by the first store to it, as ever.
  void admit_writers(const byte_range&) noexcept override { gate_.open(); }

  void detach() noexcept override { watch_.reset(); }

 private:
  static bool on_store(void* tracker, std::byte* address, touch) noexcept {
    auto& self = *static_cast<mprotect_tracker*>(tracker);
    // What is not open is not to be stored to.
    if (address >= self.base_ + self.open_.load(std::memory_order_relaxed)) return false;
    return self.gate_.pass(address, [&] { return self.admit(address); });
  }

  // Marks the granule and lets the store through.
  bool admit(std::byte* address) noexcept {
    std::size_t first = static_cast<std::size_t>(address - base_) / granule;
    std::size_t count = 1;
    const std::size_t all = open_.load(std::memory_order_relaxed) / granule;
    for (;;) {
      for (std::size_t i = first; i < first + count; ++i) {
        dirty_[i / 64].fetch_or(std::uint64_t{1} << (i % 64), std::memory_order_relaxed);
      }
      if (memory_.try_protect(first * granule, count * granule, access::read_write)) return true;
      // Out of mappings (vm.max_map_count): a larger piece has fewer borders. Aligned powers of two, so
      // the pieces nest.
      if (errno != ENOMEM || count >= all) return false;
      count *= 2;
      first = first / count * count;
      count = std::min(count, all - first);
      if (gate_.is_shut_for(base_ + first * granule, base_ + (first + count) * granule)) {
        // It must not become writable now; the store faults again until it may.
        ::sched_yield();
        return true;
      }
    }
  }

  guarded_range& memory_;
  std::byte* base_;
  std::size_t words_;
  reservation bitmap_;
  word* dirty_ = nullptr;
  std::atomic<std::size_t> open_{0};  // end of the furthest part opened so far
  write_gate gate_;
  std::optional<fault_watch> watch_;
};

}  // namespace

std::unique_ptr<page_tracker> make_mprotect_tracker(guarded_range& memory) {
  return std::make_unique<mprotect_tracker>(memory);
}

}  // namespace perdure::os
