// The queues of pages in memory, in shards with a lock each.
#include "pager/page_queues.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace perdure::pager::detail {

namespace {

// A quarter, as DI-MMAP has it: long enough for a page to prove that it comes back.
constexpr std::size_t primary_share = 4;

}  // namespace

page_queues::page_queues(std::size_t pages, std::size_t budget)
    : shard_count_(std::bit_floor(std::clamp<std::size_t>(budget / 1024, 1, most_shards))),
      shards_(std::make_unique<shard[]>(shard_count_)),
      memory_((pages * sizeof(page_number) + page_size - 1) / page_size * page_size, page_size),
      next_(reinterpret_cast<page_number*>(memory_.base())) {
  os::map_anonymous(memory_.base(), memory_.size(), os::access::read_write);
}

void page_queues::append(queue& to, page_number page) noexcept {
  next_[page] = none;
  (to.last == none ? to.first : next_[to.last]) = page;
  to.last = page;
  to.count.fetch_add(1, std::memory_order_relaxed);
}

page_number page_queues::remove_first(queue& from) noexcept {
  const page_number page = from.first;
  from.first = next_[page];
  if (from.first == none) from.last = none;
  from.count.fetch_sub(1, std::memory_order_relaxed);
  return page;
}

void page_queues::push(page_number page, bool hot) noexcept {
  shard& to = shard_of(page);
  const std::scoped_lock lock(to.lock);
  append(hot ? to.hot : to.primary, page);
}

std::size_t page_queues::take_from(shard& from, std::span<page_number> to, bool hot_first) noexcept {
  const std::scoped_lock lock(from.lock);
  std::size_t taken = 0;
  while (taken < to.size()) {
    const std::size_t primary = from.primary.count.load(std::memory_order_relaxed);
    const std::size_t hot = from.hot.count.load(std::memory_order_relaxed);
    if (primary + hot == 0) break;
    const bool from_primary = hot == 0 || (!hot_first && primary * primary_share > primary + hot);
    to[taken++] = remove_first(from_primary ? from.primary : from.hot);
  }
  return taken;
}

std::size_t page_queues::take(std::span<page_number> to, bool hot_first) noexcept {
  // Few at a time, so that a shard is not locked for long.
  constexpr std::size_t most_at_once = 64;
  std::size_t taken = 0;
  for (std::size_t fruitless = 0; taken < to.size() && fruitless < shard_count_;) {
    shard& from = shards_[turn_.fetch_add(1, std::memory_order_relaxed) & (shard_count_ - 1)];
    const std::size_t got =
        take_from(from, to.subspan(taken, std::min(most_at_once, to.size() - taken)), hot_first);
    fruitless = got == 0 ? fruitless + 1 : 0;
    taken += got;
  }
  return taken;
}

std::size_t page_queues::size() const noexcept {
  std::size_t total = 0;
  for (std::size_t i = 0; i < shard_count_; ++i)
    total += shards_[i].primary.count.load(std::memory_order_relaxed) +
             shards_[i].hot.count.load(std::memory_order_relaxed);
  return total;
}

}  // namespace perdure::pager::detail
