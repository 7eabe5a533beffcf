// A thread that looks how much memory the process has taken, and has pages of the store given up.
#include "store/backing/memory_watch.hpp"

#include <algorithm>
#include <chrono>

#include "base/signals_blocked.hpp"
#include "os/memory_limits.hpp"

namespace perdure::store {

namespace {

// How fast programs fill memory at most, in bytes a millisecond; the time to the next look follows from it.
constexpr std::uint64_t fastest = std::uint64_t{4} << 20;
constexpr std::uint64_t shortest_ms = 2;
constexpr std::uint64_t longest_ms = 500;

}  // namespace

memory_watch::memory_watch(std::uint64_t budget, relief relieve)
    : budget_(budget), relieve_(std::move(relieve)) {
  // The program's signal handlers must not run on a thread it does not know of, which may hold all others.
  const base::signals_blocked blocked;
  thread_ = std::thread([this] { watch(); });
}

memory_watch::~memory_watch() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_all();
  thread_.join();
}

bool memory_watch::is_wanted() const {
  return os::anonymous_memory() > of_others_ + budget_ / 4 * 3;
}

bool memory_watch::is_exhausted() const {
  return os::anonymous_memory() > of_others_ + budget_;
}

void memory_watch::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    lock.unlock();
    relieve();
    const std::uint64_t held = os::anonymous_memory();
    of_others_ = std::min(of_others_.load(), held);
    const std::uint64_t limit = of_others_ + budget_ / 4 * 3;
    const std::uint64_t room = limit > held ? limit - held : 0;
    const std::chrono::milliseconds pause(std::clamp(room / fastest, shortest_ms, longest_ms));
    lock.lock();
    ending_changed_.wait_for(lock, pause, [this] { return ending_; });
  }
}

void memory_watch::relieve() {
  if (!is_wanted()) return;
  std::uint64_t held = os::anonymous_memory();
  int turns = 0;
  while (held > of_others_ + budget_ / 2) {
    {
      const std::scoped_lock lock(mutex_);
      if (ending_) return;
    }
    const bool gone_through = relieve_(*this);
    held = os::anonymous_memory();
    // The first time the end of the store may come right after the start; only by the second time all of it
    // was looked at.
    if (gone_through && ++turns == 2) {
      of_others_ = held > budget_ / 2 ? held - budget_ / 2 : 0;
      return;
    }
  }
}

}  // namespace perdure::store
