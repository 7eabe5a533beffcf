// The order in which pages leave memory.
//
// Pages that are brought in join the primary queue; pages that come back soon after they left join the hot
// queue. Both are first in, first out. The primary queue gives pages up while it has more than its share. So
// pages that are touched once pass by without driving out pages that are touched again and again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "os/futex.hpp"
#include "os/mapping.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// A page is in one queue at most: a caller may `push` only pages that are in none, such as one that it has
/// just taken out. All functions need signals blocked, and are async-signal-safe.
class page_queues {
 public:
  page_queues(std::size_t pages, std::size_t budget);

  void push(page_number page, bool hot) noexcept;

  /// Takes out the pages whose turn it is. Returns their number, which is less than asked for only if the
  /// queues are all but empty. With `hot_first` it is the turn of the hot ones, whatever the shares.
  std::size_t take(std::span<page_number> to, bool hot_first = false) noexcept;

  /// Pages in the queues; a moment's value.
  std::size_t size() const noexcept;

 private:
  static constexpr std::size_t most_shards = 16;
  static constexpr page_number none = ~page_number{0};

  struct queue {
    page_number first = none;
    page_number last = none;
    std::atomic<std::size_t> count{0};
  };
  struct alignas(64) shard {
    os::signal_safe_lock lock;
    queue primary;
    queue hot;
  };

  // Neighbours share a shard, so that pages that are evicted together are neighbours more often.
  shard& shard_of(page_number page) noexcept {
    return shards_[(page >> 6) * 0x9e3779b1U >> 16 & (shard_count_ - 1)];
  }
  void append(queue& to, page_number page) noexcept;
  page_number remove_first(queue& from) noexcept;
  std::size_t take_from(shard& from, std::span<page_number> to, bool hot_first) noexcept;

  std::size_t shard_count_;
  std::unique_ptr<shard[]> shards_;
  std::atomic<std::size_t> turn_{0};
  os::reservation memory_;  // of `next_`
  page_number* next_;       // for each page the one behind it in its queue
};

}  // namespace perdure::pager::detail
