// Waiting for a word to change. Async-signal-safe.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace perdure::os {

using futex_word = std::atomic<std::uint32_t>;
static_assert(futex_word::is_always_lock_free && sizeof(futex_word) == 4, "a futex is a plain 32-bit word");

/// Sleeps until another thread calls `wake`, if the word still is `value`. May return without a reason.
inline void wait_while(const futex_word& word, std::uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

/// The same, for a limited time.
inline void wait_while(const futex_word& word, std::uint32_t value, const timespec& most) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &most, nullptr, 0);
}

inline void wake(const futex_word& word, int waiters = INT_MAX) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, waiters, nullptr, nullptr, 0);
}

/// A lock that a signal handler may take, provided that every other thread takes it with all signals blocked:
/// otherwise the handler could wait for the thread that it interrupts.
class signal_safe_lock {
 public:
  void lock() noexcept {
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) wait_while(word_, 2);
  }
  void unlock() noexcept {
    if (word_.exchange(0, std::memory_order_release) == 2) wake(word_, 1);
  }

 private:
  futex_word word_{0};  // 0: free, 1: taken, 2: taken, and there may be waiters
};

}  // namespace perdure::os
