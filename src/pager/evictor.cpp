// The background thread that keeps room in a region's budget, and what a thread does that finds none.
#include "pager/evictor.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/system_error.hpp"

namespace perdure::pager::detail {

namespace {

std::size_t least_free_in(const page_budget& budget, const page_source& source) noexcept {
  const std::size_t share = budget.most() / 64;
  if (source.writes_in_turns()) return std::clamp<std::size_t>(share, 1, 256);
  return budget.most() >= source.pages() ? 0 : std::min<std::size_t>(share, 256);
}

}  // namespace

evictor::evictor(region_pages& pages, eviction& from, page_budget& budget) noexcept
    : pages_(pages),
      eviction_(from),
      budget_(budget),
      least_free_(least_free_in(budget, pages.source)),
      wanted_free_(2 * least_free_) {}

void evictor::start() {
  if (least_free_ == 0) return;
  const int failed = ::pthread_create(&thread_, nullptr, &evictor::run, this);
  if (failed != 0) os::throw_errno("start a thread", "", failed);
  runs_ = true;
}

void evictor::stop() noexcept {
  if (!std::exchange(runs_, false)) return;
  ends_.store(true);
  calls_.fetch_add(1);
  os::wake(calls_);
  ::pthread_join(thread_, nullptr);
}

std::optional<failed_transfer> evictor::make_room(std::size_t pages, scratch& own) noexcept {
  for (;;) {
    if (const std::optional<std::size_t> left = budget_.take(pages)) {
      if (*left < least_free_) call();
      return std::nullopt;
    }
    const std::size_t batch = std::max(pages, std::clamp<std::size_t>(budget_.most() / 64, 1, 64));
    const eviction_result made = eviction_.evict(batch, own, eviction_cause::touch);
    if (made.failed) pages_.log.record(*made.failed);
    if (made.evicted != 0) continue;
    const bool waits_for_turn = pages_.source.writes_in_turns();
    if (waits_for_turn && write_error_.load(std::memory_order_relaxed) != 0) {
      call();  // perhaps it can write by now
      budget_.take_regardless(pages);
      return std::nullopt;
    }
    if (!waits_for_turn && made.failed) return made.failed;
    // Read-ahead is not worth waiting for. And perhaps so much is pinned that so many pages will never fit.
    if (pages > 1) return failed_transfer{failure::operation::read, 0, EAGAIN};
    if (waits_for_turn) {
      const std::uint32_t done = turns_done_.load();
      if (budget_.used() + pages > budget_.most()) {
        call();
        os::wait_while(turns_done_, done, timespec{0, 1'000'000});
      }
    } else {
      // All pages are on their way in or out in the hands of other threads, which will be done soon.
      static const os::futex_word never{0};
      os::wait_while(never, 0, timespec{0, 50'000});
    }
  }
}

void evictor::call() noexcept {
  if (!rests_.load(std::memory_order_relaxed) || !rests_.exchange(false)) return;
  calls_.fetch_add(1);
  os::wake(calls_);
}

void* evictor::run(void* self) noexcept {
  static_cast<evictor*>(self)->keep_room();
  return nullptr;
}

void evictor::keep_room() noexcept {
  const scratch_use own(pages_.scratches);
  for (;;) {
    const std::uint32_t calls = calls_.load();
    if (ends_.load()) return;
    bool all_out = false;
    while (!all_out && !ends_.load()) {
      const std::size_t free = budget_.free();
      const bool drains = drains_.load();
      if (!drains && free >= wanted_free_) break;
      all_out = !evict_in_turn(drains ? own->victims.size() : wanted_free_ - free, *own);
      if (all_out) drains_.store(false);
      turns_done_.fetch_add(1);
      os::wake(turns_done_);
    }
    pages_.source.drop_cached();
    rests_.store(true);
    os::wait_while(calls_, calls);
  }
}

// False if no page could leave.
bool evictor::evict_in_turn(std::size_t wanted, scratch& own) noexcept {
  eviction_result made;
  std::optional<failed_transfer> failed =
      pages_.source.in_turn([&] { made = eviction_.evict(wanted, own, eviction_cause::evictor); });
  if (failed) {
    // Without a turn only clean pages can leave.
    made = eviction_.evict(wanted, own, eviction_cause::touch);
  } else {
    failed = made.failed;
  }
  if (failed) pages_.log.record(*failed);
  write_error_.store(failed ? failed->error : 0, std::memory_order_relaxed);
  return made.evicted != 0;
}

void evictor::drain() {
  if (least_free_ == 0) return;
  drains_.store(true);
  for (;;) {
    const std::uint32_t done = turns_done_.load();
    if (!drains_.load()) break;
    call();
    os::wait_while(turns_done_, done, timespec{0, 10'000'000});
  }
  // The thread has tried just now.
  const int failed = write_error_.load();
  if (failed != 0) os::throw_errno("write", pages_.source.name(), failed);
}

}  // namespace perdure::pager::detail
