// Answers the faults of a region, in the signal handler of the thread that touched it.
#include "pager/fault_handler.hpp"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace perdure::pager::detail {

namespace {

std::uint64_t nanoseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void count_latency(event_counters& events, std::uint64_t nanoseconds) noexcept {
  const auto log2 = static_cast<std::size_t>(std::bit_width(nanoseconds | 1) - 1);
  count(events.latency[std::min(log2, events.latency.size() - 1)]);
}

// Whether the kernel's own mapping has the page. A touch may have failed just before that mapping was there,
// and only then is worth repeating.
bool kernel_has(std::byte* address) noexcept {
  constexpr int populate_read = 22;  // MADV_POPULATE_READ
  const auto within_page = reinterpret_cast<std::uintptr_t>(address) % page_size;
  return ::madvise(address - within_page, page_size, populate_read) == 0;
}

// The page touched is owned, and loading. (Not a member, so that the compiler has it in the frame of its only
// caller: the stack that this runs on may be small.) `is_lost`: reading it with others failed, and another
// thread has it by now.
std::optional<failed_transfer> load_claimed(region_pages& pages, page_loader& loader, read_ahead& ahead,
                                            page_number touched, os::touch how, bool& is_lost) noexcept {
  const std::uint64_t started = nanoseconds();
  const scratch_use own(pages.scratches);
  const read_ahead::approach approach = ahead.approach_to(touched);
  const claimed_reads claimed = ahead.claim_around(touched, approach, *own);
  const page_span run{own->reads[0].first, own->reads[0].count};
  auto failed = claimed.runs > 1 ? loader.load_all({own->reads.data(), claimed.runs}, touched, how, *own)
                                 : loader.load(run, touched, how, *own);
  if (failed && claimed.pages > 1) {
    // Perhaps it was not the page touched that could not be read.
    const page_word again = pages[touched].read();
    is_lost = again.state() != page_state::absent || !pages[touched].claim(again, page_state::loading);
    if (is_lost) return failed;
    failed = loader.load({touched, 1}, touched, how, *own);
  }
  if (!failed) {
    ahead.brought_in(run, approach);
    count_latency(own->events, nanoseconds() - started);
  }
  return failed;
}

}  // namespace

void fault_handler::start() {
  const std::size_t bytes = pages_.source.pages() * page_size;
  pages_.faults.watch(pages_.base(), bytes, pages_.is_writable);
  watch_.emplace(pages_.base(), bytes, pages_.faults.signalled(), &fault_handler::on_touch, this);
}

bool fault_handler::on_touch(void* self, std::byte* address, os::touch how) noexcept {
  auto& handler = *static_cast<fault_handler*>(self);
  if (!handler.owner_.is_here()) return false;
  if (handler.hand_over_.is_done()) return kernel_has(address);
  region_pages& pages = handler.pages_;
  const auto number = static_cast<page_number>(static_cast<std::size_t>(address - pages.base()) / page_size);
  count(pages.scratches.events().faults);
  const std::optional<failed_transfer> failed = handler.bring_in(number, handler.in_effect(how));
  if (!failed) return true;
  // Perhaps the kernel refused because it has the mapping by now.
  if (handler.hand_over_.is_done_in_the_end()) return kernel_has(address);
  pages.log.announce(*failed);
  return false;
}

std::optional<failed_transfer> fault_handler::bring_in(page_number number, os::touch how) noexcept {
  page& touched = pages_[number];
  for (;;) {
    const page_word seen = touched.read();
    switch (seen.state()) {
      case page_state::absent:
        if (touched.claim(seen, page_state::loading)) {
          bool is_lost = false;
          const auto failed = load_claimed(pages_, loader_, ahead_, number, how, is_lost);
          if (!is_lost) return failed;
        }
        break;
      case page_state::loading:
      case page_state::dirtying:
        ahead_.awaited(number);
        touched.wait(seen);
        break;
      case page_state::evicting:
        touched.wait(seen);
        break;
      case page_state::writing:
        if (how == os::touch::read) return std::nullopt;
        touched.wait(seen);
        break;
      case page_state::clean:
        if (how == os::touch::read) return std::nullopt;
        if (touched.claim(seen, page_state::dirtying)) return make_writable(number);
        break;
      case page_state::dirty:
        return std::nullopt;
    }
  }
}

// The page is owned, and dirtying.
std::optional<failed_transfer> fault_handler::make_writable(page_number number) noexcept {
  pages_.dirtied.note(number);
  if (const int refused = pages_.unprotect({number, 1}); refused != 0) {
    pages_[number].settle(page_state::clean);
    return pages_.failure_at(number, failure::operation::write, refused);
  }
  if (pages_[number].settle(page_state::dirty, {page_word::read_bit, 0}).is_only_read())
    pages_.forecast.written();
  count(pages_.scratches.events().first_stores);
  return std::nullopt;
}

}  // namespace perdure::pager::detail
