// Memory of which parts are closed until a thread that touches them has examined them.
#include "os/guarded_range.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/owner_process.hpp"
#include "base/signals_blocked.hpp"
#include "os/futex.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

namespace {

// Process ids fit, whatever the two states that come before them.
std::uint32_t mark_of_this_process() noexcept {
  return base::this_process() << 1 | 0x8000'0000U;
}

}  // namespace

class guarded_range::critical_part {
 public:
  explicit critical_part(word& lock) noexcept : lock_(lock) {
    const std::uint32_t mine = mark_of_this_process();
    for (;;) {
      std::uint32_t seen = lock_.load();
      if (seen == mine) {
        wait_while(lock_, seen);
      } else if (lock_.compare_exchange_weak(seen, mine)) {
        return;
      }
    }
  }
  critical_part(const critical_part&) = delete;
  critical_part& operator=(const critical_part&) = delete;
  ~critical_part() {
    lock_.store(0);
    wake(lock_, 1);
  }

 private:
  base::signals_blocked quiet_;
  word& lock_;
};

void guarded_range::close(std::size_t bytes, access once_open, extent_examiner& examiner) {
  if (bytes == 0) return;
  memory_ = reservation(
      (bytes / extent_bytes * sizeof(word) + extent_bytes - 1) / extent_bytes * extent_bytes, extent_bytes);
  os::protect(memory_.base(), memory_.size(), access::read_write);
  // Zero memory is a valid array of zero atomics on every platform this builds for.
  states_ = reinterpret_cast<word*>(memory_.base());
  once_open_ = once_open;
  examiner_ = &examiner;
  watch_.emplace(base_, bytes, watched_touches::all, &guarded_range::on_touch, this);
  os::protect(base_, bytes, access::none);
  extents_ = bytes / extent_bytes;
}

bool guarded_range::on_touch(void* self, std::byte* address, touch how) noexcept {
  return static_cast<guarded_range*>(self)->answer(address, how);
}

bool guarded_range::answer(std::byte* address, touch how) noexcept {
  const std::size_t extent = static_cast<std::size_t>(address - base_) / extent_bytes;
  if (!is_closed(extent)) {
    // Another thread opened the extent a moment ago, so it may be read now. It may be written to now as well,
    // unless protection forbids that for a reason that is not known here.
    if (how == touch::read) return true;
    const critical_part alone(lock_);
    const access allowed = access_of(extent);
    return allowed == access::read_write && protect_open(extent * extent_bytes, extent_bytes, allowed);
  }
  for (;;) {
    switch (open(extent)) {
      case opening::open:
        return true;
      case opening::failed:
        examiner_->kept_closed(extent, address, errno);
        return true;
      case opening::unfit:
        break;
    }
    if (!examiner_->refused(extent, address)) return true;
    const base::signals_blocked quiet;
    if (!claim(extent, true)) return true;
    if (open_claimed(extent, false) == opening::open) return true;
  }
}

guarded_range::opening guarded_range::open(std::size_t extent) noexcept {
  const base::signals_blocked quiet;
  if (extent >= extents_ || !claim(extent, true)) return opening::open;
  return open_claimed(extent, true);
}

// False if the extent is open already; if `wait` is false, also if another thread has claimed it.
bool guarded_range::claim(std::size_t extent, bool wait) noexcept {
  const std::uint32_t mine = mark_of_this_process();
  for (;;) {
    std::uint32_t seen = states_[extent].load(std::memory_order_acquire);
    if (seen == open_state) return false;
    if (seen == mine) {
      if (!wait) return false;
      wait_while(states_[extent], seen);
    } else if (states_[extent].compare_exchange_weak(seen, mine)) {
      return true;
    }
  }
}

void guarded_range::unclaim(std::size_t first, std::size_t count) noexcept {
  for (std::size_t i = first; i < first + count; ++i) {
    states_[i].store(closed_state, std::memory_order_release);
    wake(states_[i], INT_MAX);
  }
}

guarded_range::opening guarded_range::open_claimed(std::size_t extent, bool examine) noexcept {
  if (examine && !examiner_->is_fit(extent)) {
    unclaim(extent, 1);
    return opening::unfit;
  }
  constexpr int most_attempts = 100;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (admit(extent, 1) || (errno == ENOMEM && admit_with_neighbours(extent))) return opening::open;
    if (errno != ENOMEM && errno != EAGAIN) break;
    // Another thread may be about to open the extents between this one and an open one.
    ::sched_yield();
  }
  const int error = errno;
  unclaim(extent, 1);
  errno = error;
  return opening::failed;
}

// Opens claimed extents, which all get the same access; false with errno.
bool guarded_range::admit(std::size_t first, std::size_t count) noexcept {
  {
    const critical_part alone(lock_);
    const access allowed = access_of(first);
    for (std::size_t i = first; i < first + count; ++i) {
      if (access_of(i) == allowed) continue;
      errno = EAGAIN;
      return false;
    }
    if (!os::try_protect(base_ + first * extent_bytes, count * extent_bytes, allowed)) return false;
    for (std::size_t i = first; i < first + count; ++i)
      states_[i].store(open_state, std::memory_order_release);
  }
  for (std::size_t i = first; i < first + count; ++i) wake(states_[i], INT_MAX);
  return true;
}

// Out of mappings (vm.max_map_count): a border that moves costs none, so everything up to the next open
// extent is opened too. But it moves only within one mapping; where there are several, as of files with holes
// on tmpfs, everything between two open extents is opened.
bool guarded_range::admit_with_neighbours(std::size_t extent) noexcept {
  struct directions {
    bool upwards;
    bool downwards;
  };
  // Numbers below 0 wrap to what is no extent.
  const auto claim_fit = [this](std::size_t next) {
    if (next >= extents_ || !claim(next, false)) return false;
    if (examiner_->is_fit(next)) return true;
    unclaim(next, 1);
    return false;
  };
  for (const directions wanted : {directions{true, false}, {false, true}, {true, true}}) {
    std::size_t first = extent;
    std::size_t end = extent + 1;
    while (wanted.upwards && claim_fit(end)) ++end;
    while (wanted.downwards && claim_fit(first - 1)) --first;
    if (admit(first, end - first)) return true;
    const int error = errno;
    for (std::size_t i = first; i < end; ++i)
      if (i != extent) unclaim(i, 1);
    errno = error;
    if (error != ENOMEM) return false;
  }
  return false;
}

access guarded_range::access_of(std::size_t extent) const noexcept {
  const std::size_t begin = extent * extent_bytes;
  const bool is_held = begin < held_end_ && begin + extent_bytes > held_begin_;
  return is_held ? access::read : once_open_;
}

bool guarded_range::protect_open(std::size_t offset, std::size_t bytes, access allowed) noexcept {
  const std::size_t end = offset + bytes;
  for (std::size_t at = offset; at < end;) {
    const auto extent_end = [end](std::size_t from) {
      return std::min(end, (from / extent_bytes + 1) * extent_bytes);
    };
    if (is_closed(at / extent_bytes)) {
      at = extent_end(at);
      continue;
    }
    std::size_t stop = at;
    while (stop < end && !is_closed(stop / extent_bytes))
      stop = stop / extent_bytes < extents_ ? extent_end(stop) : end;
    if (!os::try_protect(base_ + at, stop - at, allowed)) return false;
    at = stop;
  }
  return true;
}

bool guarded_range::try_protect(std::size_t offset, std::size_t bytes, access allowed) noexcept {
  if (offset >= extents_ * extent_bytes) return os::try_protect(base_ + offset, bytes, allowed);
  const critical_part alone(lock_);
  return protect_open(offset, bytes, allowed);
}

void guarded_range::protect(std::size_t offset, std::size_t bytes, access allowed) {
  if (!try_protect(offset, bytes, allowed)) throw_errno("mprotect", std::to_string(bytes) + " bytes");
}

void guarded_range::remap(std::size_t offset, std::size_t bytes, access allowed,
                          const std::function<void(std::size_t, std::size_t, access)>& map) {
  const critical_part alone(lock_);
  const std::size_t end = offset + bytes;
  for (std::size_t at = offset; at < end;) {
    const std::size_t extent = at / extent_bytes;
    const bool is_held = at >= held_begin_ && at < held_end_;
    std::size_t stop = end;
    if (extent < extents_) stop = std::min(stop, (extent + 1) * extent_bytes);
    if (is_held) stop = std::min(stop, held_end_);
    if (at < held_begin_) stop = std::min(stop, held_begin_);
    map(at, stop - at, is_closed(extent) ? access::none : is_held ? access::read : allowed);
    at = stop;
  }
}

void guarded_range::hold(std::size_t offset, std::size_t bytes) {
  const critical_part alone(lock_);
  held_begin_ = offset;
  held_end_ = offset + bytes;
  if (protect_open(offset, bytes, access::read)) return;
  held_begin_ = held_end_ = 0;
  throw_errno("mprotect", std::to_string(bytes) + " bytes");
}

void guarded_range::release(std::size_t offset, std::size_t bytes) noexcept {
  const critical_part alone(lock_);
  held_begin_ = held_end_ = 0;
  // If this fails, the first write to each page does it.
  static_cast<void>(protect_open(offset, bytes, access::read_write));
}

}  // namespace perdure::os
