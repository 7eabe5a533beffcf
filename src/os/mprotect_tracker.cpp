// Page tracking by write protection and SIGSEGV: needs nothing of the kernel that is not decades old.
//
// The unit is a granule of 64 KiB, because each fault costs 7 to 20 microseconds and each change of
// protection may split a mapping. System calls that store into protected memory (read(2) into a buffer in
// the segment) fail with EFAULT instead of faulting: a limit of this method, and why it comes last.
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

namespace {

constexpr std::size_t granule = std::size_t{64} << 10;

using word = std::atomic<std::uint64_t>;
static_assert(word::is_always_lock_free, "the signal handler may use lock-free atomics only");

// What the signal handler needs to know of one tracked range. Slots are never freed, only emptied, so the
// handler can walk them without a lock.
struct slot {
  std::atomic<std::byte*> base{nullptr};
  std::atomic<std::size_t> capacity{0};
  std::atomic<std::size_t> open{0};  // end of the furthest part opened so far
  std::atomic<word*> dirty{nullptr};
};

std::array<slot, 256> slots;
std::mutex slots_changing;
struct sigaction previous_action;

bool is_store([[maybe_unused]] const ucontext_t* context) noexcept {
#if defined(__x86_64__)
  return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  return true;
#endif
}

// Marks the granule and lets the store through. False when the address is not ours.
bool admit_store(std::byte* address) noexcept {
  for (slot& tracked : slots) {
    std::byte* const base = tracked.base.load(std::memory_order_acquire);
    if (base == nullptr || address < base ||
        address >= base + tracked.capacity.load(std::memory_order_relaxed)) {
      continue;
    }
    word* const dirty = tracked.dirty.load(std::memory_order_relaxed);
    std::size_t first = static_cast<std::size_t>(address - base) / granule;
    std::size_t count = 1;
    const std::size_t all = tracked.open.load(std::memory_order_relaxed) / granule;
    for (;;) {
      for (std::size_t i = first; i < first + count; ++i) {
        dirty[i / 64].fetch_or(std::uint64_t{1} << (i % 64), std::memory_order_relaxed);
      }
      if (::mprotect(base + first * granule, count * granule, PROT_READ | PROT_WRITE) == 0) return true;
      // Out of mappings (vm.max_map_count): a larger piece has fewer borders. Aligned powers of two, so
      // the pieces nest.
      if (errno != ENOMEM || count >= all) return false;
      count *= 2;
      first = first / count * count;
      count = std::min(count, all - first);
    }
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool ours = info->si_code == SEGV_ACCERR && is_store(static_cast<const ucontext_t*>(context)) &&
                    admit_store(static_cast<std::byte*>(info->si_addr));
  errno = saved;
  if (ours) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    // Returning repeats the faulting instruction, now with the action that ends the process.
    ::signal(signal, SIG_DFL);
  } else {
    previous_action.sa_handler(signal);
  }
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  struct sigaction current {};
  if (::sigaction(SIGSEGV, nullptr, &current) != 0) throw_errno("sigaction", "SIGSEGV");
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault) return;
  previous_action = current;
  if (::sigaction(SIGSEGV, &action, nullptr) != 0) throw_errno("sigaction", "SIGSEGV");
}

class mprotect_tracker final : public page_tracker {
 public:
  mprotect_tracker(std::byte* base, std::size_t capacity)
      : base_(base),
        words_((capacity / granule + 63) / 64),
        bitmap_((words_ * sizeof(word) + granule - 1) / granule * granule, granule) {
    protect(bitmap_.base(), bitmap_.size(), access::read_write);
    // Zero memory is a valid array of zero atomics on every platform this builds for.
    dirty_ = reinterpret_cast<word*>(bitmap_.base());
    const std::scoped_lock lock(slots_changing);
    install_handler();
    slot_ = std::find_if(slots.begin(), slots.end(), [](const slot& s) { return s.base.load() == nullptr; });
    if (slot_ == slots.end()) throw_errno("track stores:", "too many stores are open", EMFILE);
    slot_->capacity = capacity;
    slot_->open = 0;
    slot_->dirty = dirty_;
    slot_->base.store(base, std::memory_order_release);
  }

  ~mprotect_tracker() override { detach(); }

  tracker_kind kind() const noexcept override { return tracker_kind::mprotect; }
  bool rearms() const noexcept override { return true; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read);
    std::size_t open = slot_->open.load(std::memory_order_relaxed);
    while (open < offset + bytes && !slot_->open.compare_exchange_weak(open, offset + bytes)) {
    }
  }

  void collect(std::size_t bytes, std::vector<byte_range>& dirty) override {
    const std::size_t first_reported = dirty.size();
    const std::size_t used = (bytes + granule - 1) / granule;
    for (std::size_t index = 0; index * 64 < used; ++index) {
      std::uint64_t bits = dirty_[index].load(std::memory_order_relaxed);
      while (bits != 0) {
        const std::uint64_t offset = (index * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))) * granule;
        bits &= bits - 1;
        if (offset >= bytes) continue;
        if (dirty.size() > first_reported && dirty.back().offset + dirty.back().bytes == offset) {
          dirty.back().bytes += granule;
        } else {
          dirty.push_back({offset, granule});
        }
      }
    }
    // Protect before forgetting: a failure half way leaves granules marked, and they are reported again.
    for (std::size_t i = first_reported; i < dirty.size(); ++i) {
      protect(base_ + dirty[i].offset, dirty[i].bytes, access::read);
    }
    for (std::size_t i = first_reported; i < dirty.size(); ++i) {
      const std::size_t begin = dirty[i].offset / granule;
      for (std::size_t g = begin; g < begin + dirty[i].bytes / granule; ++g) {
        dirty_[g / 64].fetch_and(~(std::uint64_t{1} << (g % 64)), std::memory_order_relaxed);
      }
      dirty[i].bytes = std::min<std::uint64_t>(dirty[i].bytes, bytes - dirty[i].offset);
    }
  }

  void detach() noexcept override {
    const std::scoped_lock lock(slots_changing);
    if (slot_ != slots.end()) slot_->base.store(nullptr, std::memory_order_release);
    slot_ = slots.end();
  }

 private:
  std::byte* base_;
  std::size_t words_;
  reservation bitmap_;
  word* dirty_ = nullptr;
  std::array<slot, 256>::iterator slot_ = slots.end();
};

}  // namespace

std::unique_ptr<page_tracker> make_mprotect_tracker(std::byte* base, std::size_t capacity) {
  return std::make_unique<mprotect_tracker>(base, capacity);
}

}  // namespace perdure::os
