// The buffers and arrays that a thread needs while it answers a fault. They are made beforehand: a signal
// handler must not allocate, and its stack may be an alternate one of a few KiB.
#pragma once

#include <sched.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/pager.hpp>
#include <span>

#include "os/futex.hpp"
#include "os/mapping.hpp"
#include "pager/page_source.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

inline constexpr std::size_t most_pages_at_once = 256;  // that are read in one call
inline constexpr std::size_t bytes_of_buffer = most_pages_at_once * page_size;
inline constexpr std::size_t most_victims_at_once = 512;  // that are evicted in one call

inline constexpr std::size_t pages_of_area = 512;  // what one of the kernel's page tables holds

inline constexpr std::size_t most_transfers_at_once = 512;  // that are transferred in parallel

/// Counters of which each thread uses those nearest to its processor, so that threads do not fight for a
/// cache line.
struct event_counters {
  using counter = std::atomic<std::uint64_t>;
  counter faults{0};
  counter loads{0};
  counter read_ahead{0};
  counter first_stores{0};
  counter hot_loads{0};
  counter evictions{0};
  counter evictions_by_touch{0};
  counter rescues{0};
  counter pages_read{0};
  counter pages_written{0};
  std::array<counter, 40> latency{};

  void add_to(statistics& all) const noexcept {
    const auto value = [](const counter& one) { return one.load(std::memory_order_relaxed); };
    all.faults += value(faults);
    all.loads += value(loads);
    all.read_ahead += value(read_ahead);
    all.first_stores += value(first_stores);
    all.hot_loads += value(hot_loads);
    all.evictions += value(evictions);
    all.evictions_by_touch += value(evictions_by_touch);
    all.rescues += value(rescues);
    all.bytes_read += value(pages_read) * page_size;
    all.bytes_written += value(pages_written) * page_size;
    for (std::size_t i = 0; i < latency.size(); ++i) all.latency[i] += value(latency[i]);
  }
};

inline void count(event_counters::counter& events, std::uint64_t more = 1) noexcept {
  events.fetch_add(more, std::memory_order_relaxed);
}

struct alignas(64) scratch {
  std::atomic<bool> taken{false};
  std::byte* buffer = nullptr;  // for most_pages_at_once
  event_counters events;
  std::array<page_number, most_victims_at_once> victims;
  std::array<page_number, most_victims_at_once> dirty;
  std::array<iovec, most_victims_at_once> parts;
  std::array<page_state, pages_of_area> states;
  std::span<page_transfer> writes;
  std::span<page_transfer> reads;  // beside `writes`, as room for them may have to be made by writing others
  std::span<os::transfer_request> requests;
  os::parallel_io io;
};

class scratch_pool {
 public:
  static constexpr std::size_t places = 128;

  // Places that are not used take no memory: of most of them nothing is ever touched but the counters.
  scratch_pool()
      : memory_(places * bytes_of_place, page_size), all_(std::make_unique_for_overwrite<scratch[]>(places)) {
    os::map_anonymous(memory_.base(), memory_.size(), os::access::read_write);
    os::prefer_small_pages(memory_.base(), memory_.size());
    for (std::size_t i = 0; i < places; ++i) {
      std::byte* const base = memory_.base() + i * bytes_of_place;
      all_[i].buffer = base;
      // Zero memory is a valid array of either.
      all_[i].writes = {reinterpret_cast<page_transfer*>(base + bytes_of_buffer), most_transfers_at_once};
      all_[i].reads = {all_[i].writes.data() + most_transfers_at_once, most_pages_at_once};
      all_[i].requests = {
          reinterpret_cast<os::transfer_request*>(base + bytes_of_buffer + bytes_of_transfers),
          most_transfers_at_once};
    }
  }

  /// A scratch that no other thread has; waits for one if more threads want one than there are places.
  /// Signals must be blocked. Async-signal-safe.
  scratch& take() noexcept {
    const std::size_t start = nearest();
    for (;;) {
      const std::uint32_t seen = returned_.load(std::memory_order_acquire);
      for (std::size_t i = 0; i < places; ++i) {
        scratch& one = all_[(start + i) % places];
        if (!one.taken.load(std::memory_order_relaxed) &&
            !one.taken.exchange(true, std::memory_order_acquire))
          return one;
      }
      waiters_.fetch_add(1);
      // A thread that gave one back before it saw this one waiting has changed the word, so this returns at
      // once.
      os::wait_while(returned_, seen);
      waiters_.fetch_sub(1);
    }
  }
  void give_back(scratch& one) noexcept {
    one.taken.store(false, std::memory_order_release);
    returned_.fetch_add(1);
    if (waiters_.load() != 0) os::wake(returned_, 1);
  }

  /// Counters for a thread that needs nothing else.
  event_counters& events() noexcept { return all_[nearest()].events; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < places; ++i) visit(all_[i].events);
  }

 private:
  static constexpr std::size_t bytes_of_transfers =
      (most_transfers_at_once + most_pages_at_once) * sizeof(page_transfer);
  static constexpr std::size_t bytes_of_place =
      (bytes_of_buffer + bytes_of_transfers + most_transfers_at_once * sizeof(os::transfer_request) +
       page_size - 1) /
      page_size * page_size;
  static_assert(alignof(page_transfer) <= 16 && bytes_of_transfers % alignof(os::transfer_request) == 0);

  static std::size_t nearest() noexcept {
    const int cpu = ::sched_getcpu();
    return cpu < 0 ? 0 : static_cast<std::size_t>(cpu) % places;
  }

  os::reservation memory_;  // of the buffers
  std::unique_ptr<scratch[]> all_;
  os::futex_word returned_{0};
  std::atomic<std::uint32_t> waiters_{0};
};

/// Takes a scratch from the pool for the length of a scope.
class scratch_use {
 public:
  explicit scratch_use(scratch_pool& pool) noexcept : pool_(pool), one_(pool.take()) {}
  scratch_use(const scratch_use&) = delete;
  scratch_use& operator=(const scratch_use&) = delete;
  ~scratch_use() { pool_.give_back(one_); }

  scratch& operator*() const noexcept { return one_; }
  scratch* operator->() const noexcept { return &one_; }

 private:
  scratch_pool& pool_;
  scratch& one_;
};

}  // namespace perdure::pager::detail
