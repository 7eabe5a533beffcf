#include "pager/budgeted_mapping.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/signals_blocked.hpp"
#include "os/memory_limits.hpp"
#include "os/system_error.hpp"
#include "pager/file_io.hpp"
#include "pager/guard_faults.hpp"
#include "pager/user_faults.hpp"

namespace perdure::pager::detail {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Pages that a stream has come to need before others are asked to read ahead of it: for fewer that takes
// longer than it saves.
constexpr std::size_t least_asked = 32;

// Pages of one request of theirs: several are faster than one, and the first can be used before the last.
constexpr std::size_t most_asked_at_once = 64;

// What is left to those who touch memory when all else is pinned.
constexpr std::size_t least_unpinned = least_budget / page_bytes;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t nanoseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// A touch may have failed just before the kernel's mapping was there, and only then is worth repeating.
bool kernel_has(std::byte* address) noexcept {
  constexpr int populate_read = 22;  // MADV_POPULATE_READ
  const auto within_page = reinterpret_cast<std::uintptr_t>(address) % page_bytes;
  return ::madvise(address - within_page, page_bytes, populate_read) == 0;
}

[[noreturn]] void throw_failed(const failed_transfer& failed, const std::string& path) {
  throw error(code_of(failed), describe(failed, path));
}

}  // namespace

budgeted_mapping::budgeted_mapping(std::unique_ptr<page_source> source, std::size_t bytes_wanted,
                                   const options& wanted, std::unique_ptr<page_faults> faults,
                                   pager::tier tier, os::reservation place)
    : owned_(std::move(source)),
      file_(*owned_),
      bytes_(bytes_wanted),
      mode_(wanted.mode),
      tier_(tier),
      budget_(std::min(wanted.budget / page_bytes, std::max(file_.pages(), least_unpinned))),
      least_free_(file_.writes_in_turns()    ? std::clamp<std::size_t>(budget_ / 64, 1, 256)
                  : budget_ >= file_.pages() ? 0
                                             : std::min<std::size_t>(budget_ / 64, 256)),
      wanted_free_(2 * least_free_),
      most_together_(std::clamp<std::size_t>(budget_ / 16, 1, most_pages_at_once)),
      most_asked_(std::clamp<std::size_t>(budget_ / 16, 1, 4 * most_pages_at_once)),
      log_(file_.name()),
      page_table_memory_(rounded_up(file_.pages() * sizeof(page), page_bytes), page_bytes),
      pages_(reinterpret_cast<page*>(page_table_memory_.base())),
      queues_(file_.pages(), budget_),
      clock_(budget_),
      density_(file_.pages()),
      presence_(page_bytes, page_bytes),
      memory_(std::move(place)),
      faults_(std::move(faults)) {
  // Aligned so that the kernel's page tables are shared with nobody.
  if (memory_.base() == nullptr)
    memory_ = os::reservation(rounded_up(file_.pages() * page_bytes, 2 * mebibyte), 2 * mebibyte);

  // Zero memory is a valid array of absent pages.
  os::map_anonymous(page_table_memory_.base(), page_table_memory_.size(), os::access::read_write);
  os::map_anonymous(presence_.base(), presence_.size(), os::access::read_write);
  if (::madvise(presence_.base(), presence_.size(), MADV_WIPEONFORK) != 0)
    os::throw_errno("madvise", "MADV_WIPEONFORK");
  *presence_.base() = std::byte{1};

  const std::size_t bytes = file_.pages() * page_bytes;
  faults_->watch(memory_.base(), bytes, mode_ != mode::read_only);
  watch_.emplace(memory_.base(), bytes, faults_->signalled(), &budgeted_mapping::on_touch, this);

  const base::signals_blocked none_in_these_threads;
  if (least_free_ != 0) {
    const int failed = ::pthread_create(&evictor_, nullptr, &budgeted_mapping::evict_in_background, this);
    if (failed != 0) os::throw_errno("start a thread", "", failed);
    evictor_runs_ = true;
  }
  // Without them who touches memory reads ahead for itself.
  if (most_together_ >= least_asked) {
    // The device takes twice as many bytes a second for memory of one piece as for scattered pages.
    const std::size_t wanted_readers =
        std::clamp<std::size_t>(most_asked_ / most_pages_at_once, 2, readers_.size());
    read_ahead_memory_ = os::reservation(wanted_readers * bytes_of_buffer, 2 * mebibyte);
    os::map_anonymous(read_ahead_memory_.base(), read_ahead_memory_.size(), os::access::read_write);
    static_cast<void>(os::prefer_huge_pages(read_ahead_memory_.base(), read_ahead_memory_.size()));
    while (reader_count_ < wanted_readers &&
           ::pthread_create(&readers_[reader_count_], nullptr, &budgeted_mapping::read_in_background, this) ==
               0)
      ++reader_count_;
  }
}

budgeted_mapping::~budgeted_mapping() {
  if (!is_in_this_process()) {
    memory_.forget();
    return;
  }
  stop_threads();
  if (is_given_away()) memory_.forget();
  if (mode_ == mode::write_back) {
    const base::signals_blocked quiet;
    if (const auto failed = write_dirty()) log_.announce(*failed);
  }
}

void budgeted_mapping::stop_threads() noexcept {
  if (!is_in_this_process()) return;
  {
    const base::signals_blocked quiet;
    pending_.end();
  }
  // Those that read may still wait for the one that evicts.
  while (reader_count_ != 0) ::pthread_join(readers_[--reader_count_], nullptr);
  if (!std::exchange(evictor_runs_, false)) return;
  evictor_ends_.store(true);
  evictor_calls_.fetch_add(1);
  os::wake(evictor_calls_);
  ::pthread_join(evictor_, nullptr);
}

page_span budgeted_mapping::pages_of(byte_range range) const noexcept {
  const auto first = static_cast<page_number>(range.offset / page_bytes);
  const std::size_t end = (range.offset + range.bytes + page_bytes - 1) / page_bytes;
  return {first, range.bytes == 0 ? 0 : end - first};
}

// Faults ---------------------------------------------------------------------------------------------------

bool budgeted_mapping::on_touch(void* self, std::byte* address, os::touch how) noexcept {
  auto& mapping = *static_cast<budgeted_mapping*>(self);
  if (!mapping.is_in_this_process()) return false;
  if (mapping.is_given_away()) return kernel_has(address);
  const auto page = static_cast<page_number>(static_cast<std::size_t>(address - mapping.data()) / page_bytes);
  count(mapping.scratches_.events().faults);
  const std::optional<failed_transfer> failed = mapping.bring_in(page, mapping.in_effect(how));
  if (!failed) return true;
  // Perhaps the kernel refused because it has the mapping by now.
  if (mapping.handing_over_done() == handed_over) return kernel_has(address);
  mapping.log_.announce(*failed);
  return false;
}

// Until the touch can succeed, as far as can be told: another thread may always be faster.
std::optional<failed_transfer> budgeted_mapping::bring_in(page_number number, os::touch how) noexcept {
  page& touched = pages_[number];
  for (;;) {
    const page_word seen = touched.read();
    switch (seen.state()) {
      case page_state::absent:
        if (touched.claim(seen, page_state::loading)) {
          const std::uint64_t started = nanoseconds();
          const scratch_use own(scratches_);
          const bool reads_ahead = most_together_ > 1 && reads_ahead_.load(std::memory_order_relaxed);
          const stream found = reads_ahead ? streams_.find(number) : stream{};
          const claimed_runs claimed = claim_around(number, reads_ahead, found, *own);
          const page_span run{own->loads[0].first, own->loads[0].count};
          auto failed = claimed.runs > 1 ? load_all({own->loads.data(), claimed.runs}, number, how, *own)
                                         : load(run, number, how, *own);
          if (failed && claimed.pages > 1) {
            // Perhaps it was not the page that was touched.
            const page_word again = touched.read();
            if (again.state() != page_state::absent || !touched.claim(again, page_state::loading)) continue;
            failed = load({number, 1}, number, how, *own);
          }
          if (!failed) {
            if (reads_ahead) expect_more(found, run);
            const auto log2 = static_cast<std::size_t>(std::bit_width((nanoseconds() - started) | 1) - 1);
            count(own->events.latency[std::min(log2, own->events.latency.size() - 1)]);
          }
          return failed;
        }
        break;
      case page_state::loading:
      case page_state::dirtying:
        // A thread that has to wait for what the readers were asked for will soon need what follows. One that
        // never has to wait gets to the end of what they were asked for, and asks there.
        if (const stream found = streams_.find(number); found.is_asked) ask_ahead(found, found.end(), number);
        touched.wait(seen);
        break;
      case page_state::evicting:
        touched.wait(seen);
        break;
      case page_state::writing:
        if (how == os::touch::load) return std::nullopt;
        touched.wait(seen);
        break;
      case page_state::clean:
        if (how == os::touch::load) return std::nullopt;
        if (touched.claim(seen, page_state::dirtying)) return make_writable(number);
        break;
      case page_state::dirty:
        return std::nullopt;
    }
  }
}

// The page is owned, and dirtying.
std::optional<failed_transfer> budgeted_mapping::make_writable(page_number number) noexcept {
  note_dirty(number);
  const int failed = faults_->protect(address_of(number), page_bytes, false);
  if (failed != 0) {
    pages_[number].settle(page_state::clean);
    return failed_transfer{failure::operation::write, file_.offset_of(number), failed};
  }
  if (pages_[number].settle(page_state::dirty, {page_word::read_bit, 0}).is_only_read()) forecast_.stored();
  count(scratches_.events().first_stores);
  return std::nullopt;
}

// A page that is owned, since it was touched, and what is to come in with it: the first run has the page.
budgeted_mapping::claimed_runs budgeted_mapping::claim_around(page_number page, bool reads_ahead,
                                                              const stream& found, scratch& own) noexcept {
  page_span dense{page, 1};
  if (reads_ahead) dense = density_.find(page);
  if (dense.count > most_together_) dense = {page, 1};
  dense.count = std::min(dense.count, file_.open_pages() - dense.first);
  const std::size_t before = claim_absent_before(page, page - dense.first);
  const std::size_t window = std::min(window_of(found), most_pages_at_once - before);
  const std::size_t after = claim_absent_after(page, std::max(dense.first + dense.count - page, window) - 1);
  const auto first = static_cast<page_number>(page - before);
  const std::size_t count = before + 1 + after;
  own.loads[0] = {first, count, pages_[page].read().is_spilled()};
  claimed_runs claimed{1, count};
  // What lies behind pages that are there.
  if (count < dense.count) claim_absent(dense, count + dense.count, dense.count, own, claimed);
  return claimed;
}

// How many pages to bring in for a touch that a stream may have led to.
std::size_t budgeted_mapping::window_of(const stream& found) const noexcept {
  if (found.count == 0) return 1;
  const std::size_t window = std::min<std::size_t>(2 * found.count, most_together_);
  return asks_ahead(found) ? std::min(window, least_asked) : window;
}

bool budgeted_mapping::asks_ahead(const stream& found) const noexcept {
  return reader_count_ != 0 && (found.is_asked || 2 * found.count >= least_asked);
}

// The touch brought in a run.
void budgeted_mapping::expect_more(const stream& found, page_span run) noexcept {
  const auto end = static_cast<page_number>(run.first + run.count);
  const page_number next = std::max(end, found.end());
  if (!asks_ahead(found) || !ask_ahead(found, next, run.first)) {
    // What was brought in because much is touched around it does not make a stream longer.
    streams_.expect({end, static_cast<std::uint32_t>(std::min(run.count, window_of(found))), false});
  } else if (const stream asked = streams_.find(next); next == end && asked.is_asked) {
    // Nothing was on its way. One more, so that the next is read while that is waited for.
    ask_ahead(asked, asked.end(), next);
  }
}

// Has others bring in what comes next on a stream. False if there is nothing, or they have too much to do.
//
// More than they read in one go, lest they be done with it all before it is touched: who finds all of it in
// memory asks for nothing before its end, and waits there.
bool budgeted_mapping::ask_ahead(const stream& found, page_number next, page_number touched) noexcept {
  const std::size_t end = file_.open_pages();
  if (next >= end) return false;
  const std::size_t count =
      std::min({std::max<std::size_t>(2 * found.count, least_asked), most_asked_, end - next});
  if (!pending_.post({next, count})) return false;
  streams_.expect({next, static_cast<std::uint32_t>(count), true}, found, touched);
  return true;
}

bool budgeted_mapping::claim_absent(page_number page, bool spilled) noexcept {
  const page_word seen = pages_[page].read();
  return seen.state() == page_state::absent && seen.is_spilled() == spilled &&
         pages_[page].claim(seen, page_state::loading);
}

// Pages that follow `first`, which is owned, and could be read in one call with it.
std::size_t budgeted_mapping::claim_absent_after(page_number first, std::size_t most) noexcept {
  const std::size_t end = file_.open_pages();
  most = first + 1 < end ? std::min(most, end - first - 1) : 0;
  const bool spilled = pages_[first].read().is_spilled();
  std::size_t claimed = 0;
  while (claimed < most && claim_absent(static_cast<page_number>(first + 1 + claimed), spilled)) ++claimed;
  return claimed;
}

// The same of pages that `last` follows.
std::size_t budgeted_mapping::claim_absent_before(page_number last, std::size_t most) noexcept {
  const bool spilled = pages_[last].read().is_spilled();
  std::size_t claimed = 0;
  while (claimed < most && claim_absent(static_cast<page_number>(last - 1 - claimed), spilled)) ++claimed;
  return claimed;
}

// Those of `rest` from its start on that can be had, until there are as many as may be read in one go.
void budgeted_mapping::claim_absent(page_span& rest, std::size_t most, std::size_t longest, scratch& own,
                                    claimed_runs& to) noexcept {
  while (rest.count != 0 && to.pages < most) {
    const page_number number = rest.first;
    const page_word seen = pages_[number].read();
    std::size_t count = 1;
    if (seen.state() == page_state::absent && pages_[number].claim(seen, page_state::loading)) {
      count += claim_absent_after(number, std::min({rest.count, most - to.pages, longest}) - 1);
      own.loads[to.runs++] = {number, count, seen.is_spilled()};
      to.pages += count;
    }
    rest = {static_cast<page_number>(number + count), rest.count - count};
  }
}

void budgeted_mapping::abandon(page_span run) noexcept {
  for (std::size_t i = 0; i < run.count; ++i) pages_[run.first + i].settle(page_state::absent);
}

// The run is owned; it is settled in any case. All of it is on the same disk file.
std::optional<failed_transfer> budgeted_mapping::load(page_span run, page_number touched, os::touch how,
                                                      scratch& own) noexcept {
  if (const auto failed = make_room(run.count, own)) {
    abandon(run);
    return failed;
  }
  const bool spilled = pages_[run.first].read().is_spilled();
  if (const auto failed = file_.read(run.first, run.count, spilled, own.buffer)) {
    abandon(run);
    resident_.fetch_sub(run.count);
    return failed;
  }
  return settle_loaded(run, touched, how, own.buffer, own);
}

// The same for several runs, together no more than the buffer holds. The failure of what was touched; if
// nothing was, the first.
std::optional<failed_transfer> budgeted_mapping::load_all(std::span<page_run> runs,
                                                          std::optional<page_number> touched, os::touch how,
                                                          scratch& own) noexcept {
  std::size_t pages = 0;
  for (page_run& run : runs) {
    run.memory = own.buffer + pages * page_bytes;
    pages += run.count;
  }
  if (const auto failed = make_room(pages, own)) {
    for (const page_run& run : runs) abandon({run.first, run.count});
    return failed;
  }
  std::optional<failed_transfer> first_failure;
  file_.read_all(runs, own.io, own.requests, [&](const page_run& run) {
    const bool has_touched = touched && *touched - run.first < run.count;
    std::optional<failed_transfer> failed = run.failed;
    if (failed) {
      abandon({run.first, run.count});
      resident_.fetch_sub(run.count);
    } else {
      failed = has_touched
                   ? settle_loaded({run.first, run.count}, touched, how, run.memory, own)
                   : settle_loaded({run.first, run.count}, std::nullopt, os::touch::load, run.memory, own);
    }
    if (failed && !first_failure && (has_touched || !touched)) first_failure = failed;
  });
  return first_failure;
}

// The run is owned, and there is room for it.
std::optional<failed_transfer> budgeted_mapping::settle_loaded(page_span run,
                                                               std::optional<page_number> touched,
                                                               os::touch how, const std::byte* from,
                                                               scratch& own) noexcept {
  page_span writable{touched.value_or(run.first), how == os::touch::store ? 1UL : 0UL};
  if (mode_ != mode::read_only && forecast_.expects_store(run.first)) writable = run;
  // Another thread may store to them, and have that written, before this one has settled them.
  for (std::size_t i = 0; i < writable.count; ++i) {
    const auto number = static_cast<page_number>(writable.first + i);
    pages_[number].go_on(page_state::loading, page_state::dirtying);
    note_dirty(number);
  }
  if (const int refused = install(run, writable, from); refused != 0) {
    abandon(run);
    resident_.fetch_sub(run.count);
    return failed_transfer{failure::operation::read, file_.offset_of(run.first), refused};
  }
  const std::size_t asked_for = touched ? 1 : 0;
  count(own.events.loads, asked_for);
  count(own.events.read_ahead, run.count - asked_for);
  count(own.events.pages_read, run.count);

  for (std::size_t i = 0; i < run.count; ++i) {
    const auto number = static_cast<page_number>(run.first + i);
    const page_word seen = pages_[number].read();
    // Only what was asked for shows that a page comes back.
    const std::uint32_t chances = number == touched ? clock_.chances(seen.history()) : 0;
    const bool hot = chances != 0;
    settling change{page_word::history_bits, page_word::as_history(chances) | page_word::queued_bit};
    if (hot && !seen.is_queued()) change.set |= page_word::hot_bit;
    const page_state state = number - writable.first < writable.count ? page_state::dirty : page_state::clean;
    if (state == page_state::clean) change.set |= page_word::read_bit;
    // Settled first: what is in a queue must be ready to leave it. A page that is in one already stays where
    // it is; and once more in the same would tie the queue in a knot.
    const bool was_queued = pages_[number].settle(state, change).is_queued();
    if (hot) count(own.events.hot_loads);
    if (!was_queued) queues_.push(number, hot);
  }
  return std::nullopt;
}

// The `writable` ones can be stored to at once.
int budgeted_mapping::install(page_span run, page_span writable, const std::byte* from) noexcept {
  const bool is_protected = mode_ != mode::read_only;
  std::size_t done = 0;
  int failed = 0;
  const auto next = [&](std::size_t pages, bool protects) {
    if (failed != 0 || pages == 0) return;
    const std::size_t at = done * page_bytes;
    failed = faults_->install(address_of(run.first) + at, from + at, pages * page_bytes, protects);
    done += pages;
  };
  if (writable.count != 0) {
    next(writable.first - run.first, is_protected);
    next(writable.count, false);
  }
  next(run.count - done, is_protected);
  const iovec all{address_of(run.first), run.count * page_bytes};
  if (failed != 0) faults_->drop({&all, 1});
  return failed;
}

// Room -----------------------------------------------------------------------------------------------------

std::optional<failed_transfer> budgeted_mapping::make_room(std::size_t pages, scratch& own) noexcept {
  std::size_t seen = resident_.load(std::memory_order_relaxed);
  for (;;) {
    if (seen + pages <= budget_) {
      if (!resident_.compare_exchange_weak(seen, seen + pages)) continue;
      const std::size_t now = seen + pages;
      std::size_t most = most_resident_.load(std::memory_order_relaxed);
      while (now > most && !most_resident_.compare_exchange_weak(most, now)) {
      }
      if (budget_ - now < least_free_) call_evictor();
      return std::nullopt;
    }
    const std::size_t batch = std::max(pages, std::clamp<std::size_t>(budget_ / 64, 1, 64));
    const eviction made = evict(batch, own, by::touch);
    if (made.failed) log_.record(*made.failed);
    if (made.evicted == 0 && file_.writes_in_turns()) {
      if (write_error_.load(std::memory_order_relaxed) != 0) {
        call_evictor();  // perhaps it can by now
        resident_.fetch_add(pages);
        return std::nullopt;
      }
      // Read-ahead is not worth waiting for.
      if (pages > 1) return failed_transfer{failure::operation::read, 0, EAGAIN};
      const std::uint32_t done = evictor_done_.load();
      if (resident_.load() + pages > budget_) {
        call_evictor();
        os::wait_while(evictor_done_, done, timespec{0, 1'000'000});
      }
    } else if (made.evicted == 0) {
      if (made.failed) return made.failed;
      // Perhaps so much is pinned that they will never fit.
      if (pages > 1) return failed_transfer{failure::operation::read, 0, EAGAIN};
      // All are on their way in or out in the hands of others, who will be done soon.
      static const os::futex_word never{0};
      os::wait_while(never, 0, timespec{0, 50'000});
    }
    seen = resident_.load(std::memory_order_relaxed);
  }
}

void budgeted_mapping::call_evictor() noexcept {
  if (!evictor_rests_.load(std::memory_order_relaxed) || !evictor_rests_.exchange(false)) return;
  evictor_calls_.fetch_add(1);
  os::wake(evictor_calls_);
}

void* budgeted_mapping::read_in_background(void* self) noexcept {
  static_cast<budgeted_mapping*>(self)->read_ahead();
  return nullptr;
}

void budgeted_mapping::read_ahead() noexcept {
  const scratch_use own(scratches_);
  std::byte* const buffer =
      read_ahead_memory_.base() + read_ahead_buffers_taken_.fetch_add(1) * bytes_of_buffer;
  std::byte* const usual = std::exchange(own->buffer, buffer);
  for (page_span rest = pending_.take(most_pages_at_once); rest.count != 0;
       rest = pending_.take(most_pages_at_once)) {
    claimed_runs claimed;
    claim_absent(rest, most_pages_at_once, most_asked_at_once, *own, claimed);
    // What fails is met again by who touches it.
    if (claimed.runs != 0)
      static_cast<void>(load_all({own->loads.data(), claimed.runs}, std::nullopt, os::touch::load, *own));
  }
  own->buffer = usual;
}

void* budgeted_mapping::evict_in_background(void* self) noexcept {
  static_cast<budgeted_mapping*>(self)->keep_room();
  return nullptr;
}

void budgeted_mapping::keep_room() noexcept {
  const scratch_use own(scratches_);
  for (;;) {
    const std::uint32_t calls = evictor_calls_.load();
    if (evictor_ends_.load()) return;
    bool all_out = false;
    while (!all_out && !evictor_ends_.load()) {
      const std::size_t used = resident_.load();
      const std::size_t free = used < budget_ ? budget_ - used : 0;
      const bool drains = drains_.load();
      if (!drains && free >= wanted_free_) break;
      const std::size_t wanted = drains ? own->victims.size() : wanted_free_ - free;
      eviction made;
      std::optional<failed_transfer> failed = file_.in_turn([&] { made = evict(wanted, *own, by::evictor); });
      if (failed) {
        // Without a turn only what is clean can go.
        made = evict(wanted, *own, by::touch);
      } else {
        failed = made.failed;
      }
      if (failed) log_.record(*failed);
      write_error_.store(failed ? failed->error : 0, std::memory_order_relaxed);
      all_out = made.evicted == 0;
      if (all_out) drains_.store(false);
      evictor_done_.fetch_add(1);
      os::wake(evictor_done_);
    }
    file_.drop_cached();
    evictor_rests_.store(true);
    os::wait_while(evictor_calls_, calls);
  }
}

budgeted_mapping::eviction budgeted_mapping::evict(std::size_t wanted, scratch& own, by whom) noexcept {
  eviction result;
  wanted = std::min(wanted, own.victims.size());
  const bool may_write = whom != by::touch || !file_.writes_in_turns();
  // Those that cannot go, or have a chance left, are put back; none has more than three.
  std::size_t looks = 4 * queues_.size();
  // Among many dirty ones the evictor is the one to look further.
  if (!may_write) looks = std::min(looks, 8 * wanted);
  // What must stay may fill the primary queue.
  const std::size_t patience = looks / 2;
  while (result.evicted < wanted && looks != 0) {
    const std::size_t taken =
        queues_.take({own.victims.data(), std::min(wanted - result.evicted, looks)}, looks <= patience);
    if (taken == 0) break;
    looks -= taken;
    if (may_write) clean_areas_of({own.victims.data(), taken}, own, result);
    std::size_t owned = 0;
    for (std::size_t i = 0; i < taken; ++i) {
      const page_number number = own.victims[i];
      page& victim = pages_[number];
      for (bool decided = false; !decided;) {
        const page_word seen = victim.read();
        const page_state state = seen.state();
        if (state == page_state::absent) {
          decided = victim.unqueue(seen);
        } else if (seen.has_chance() && (state == page_state::clean || state == page_state::dirty)) {
          if (!victim.rewrite_history(seen, seen.history() - 1)) continue;
          queues_.push(number, true);
          decided = true;
        } else if (seen.pins() != 0 || (state != page_state::clean && state != page_state::dirty) ||
                   (state == page_state::dirty && !may_write)) {
          queues_.push(number, seen.is_hot());
          decided = true;
        } else if (victim.claim(seen,
                                state == page_state::clean ? page_state::evicting : page_state::writing)) {
          own.victims[owned++] = number;
          decided = true;
        }
      }
    }
    expel({own.victims.data(), owned}, own, whom, result);
    if (result.failed) break;
  }
  return result;
}

void budgeted_mapping::expel(std::span<page_number> owned, scratch& own, by whom, eviction& result) noexcept {
  if (owned.empty()) return;
  const bool are_queued = whom != by::advice;
  std::sort(owned.begin(), owned.end());
  const std::span<const page_number> leaving(own.victims.data(), clean(owned, own, are_queued, result));
  if (leaving.empty()) return;
  discard(leaving, own);
  clock_.evicted(leaving.size());
  settling change{page_word::history_bits | page_word::read_bit, 0};
  if (are_queued) {
    change.clear |= page_word::queued_bit | page_word::hot_bit;
    change.set = page_word::as_history(clock_.now());
  }
  std::size_t only_read = 0;
  for (const page_number number : leaving)
    only_read += pages_[number].settle(page_state::absent, change).is_only_read() ? 1 : 0;
  forecast_.left_unchanged(only_read);
  resident_.fetch_sub(leaving.size());
  result.evicted += leaving.size();
  count(own.events.evictions, leaving.size());
  if (whom == by::touch) count(own.events.evictions_by_touch, leaving.size());
}

void budgeted_mapping::discard(std::span<const page_number> sorted, scratch& own) noexcept {
  std::size_t parts = 0;
  for (const page_number number : sorted) {
    std::byte* const at = address_of(number);
    if (parts != 0) {
      iovec& last = own.parts[parts - 1];
      if (static_cast<std::byte*>(last.iov_base) + last.iov_len == at) {
        last.iov_len += page_bytes;
        continue;
      }
    }
    own.parts[parts++] = {at, page_bytes};
  }
  faults_->drop({own.parts.data(), parts});
}

// What programs ask for ------------------------------------------------------------------------------------

// In a child the descriptors still act on the memory of the parent.
void budgeted_mapping::require_this_process() const {
  if (!is_in_this_process())
    throw error(errc::invalid_argument, file_.name() +
                                            " was mapped by the parent process: a forked child has no "
                                            "region");
}

void budgeted_mapping::flush() {
  require_this_process();
  if (mode_ != mode::write_back) return;
  const auto check_sync = [&] {
    const int failed = sync_error_.load();
    if (failed != 0)
      throw error(errc::io, "cannot make " + file_.name() + " durable: the device failed (" +
                                std::generic_category().message(failed) +
                                ") after it had taken changes; what is on it is not known");
  };
  check_sync();
  std::optional<failed_transfer> failed;
  {
    const base::signals_blocked quiet;
    failed = write_dirty();
  }
  if (failed) {
    log_.record(*failed);
    throw_failed(*failed, file_.name());
  }
  try {
    file_.sync();
  } catch (const std::system_error& e) {
    sync_error_.store(e.code().value());
    check_sync();
  }
}

void budgeted_mapping::prefetch(std::span<const byte_range> ranges) {
  require_this_process();
  if (is_given_away()) return;
  std::optional<failed_transfer> failed;
  {
    const base::signals_blocked quiet;
    const scratch_use own(scratches_);
    const std::size_t most_together = std::clamp<std::size_t>(budget_ / 4, 1, most_pages_at_once);
    std::size_t left = std::max<std::size_t>(budget_ / 2, 1);
    claimed_runs claimed;
    const auto load_runs = [&] {
      left -= claimed.pages;
      failed = load_all({own->loads.data(), claimed.runs}, std::nullopt, os::touch::load, *own);
      if (failed && failed->error == EAGAIN) {
        failed.reset();
        left = 0;
      }
      claimed = {};
    };
    for (const byte_range& range : ranges) {
      page_span rest = pages_of(range);
      while (rest.count != 0 && left != 0 && !failed) {
        const std::size_t most = std::min(most_together, left);
        claim_absent(rest, most, most_pages_at_once, *own, claimed);
        if (claimed.pages == most) load_runs();
      }
    }
    if (claimed.runs != 0) load_runs();
  }
  if (failed) {
    log_.record(*failed);
    throw_failed(*failed, file_.name());
  }
}

std::optional<failed_transfer> budgeted_mapping::pin_page(page_number number, os::touch how,
                                                          bool* is_first) noexcept {
  for (;;) {
    const page_word seen = pages_[number].read();
    const bool is_there =
        seen.state() == page_state::dirty || (seen.state() == page_state::clean && how == os::touch::load);
    if (is_there) {
      if (seen.pins() == page_word::most_pins)
        return failed_transfer{failure::operation::read, file_.offset_of(number), EOVERFLOW};
      if (!pages_[number].add_pin(seen)) continue;
      *is_first = seen.pins() == 0;
      return std::nullopt;
    }
    if (seen.state() == page_state::writing) {
      pages_[number].wait(seen);
    } else if (const auto failed = bring_in(number, how)) {
      return failed;
    }
  }
}

void budgeted_mapping::pin(byte_range range, pin_for use) {
  require_this_process();
  if (is_given_away()) throw error(errc::invalid_argument, file_.name() + " was handed over to the kernel");
  if (use == pin_for::writing && mode_ == mode::read_only)
    throw error(errc::read_only, file_.name() + " is mapped for reading: it cannot be pinned for writing");
  const page_span span = pages_of(range);
  const os::touch how = in_effect(use == pin_for::writing ? os::touch::store : os::touch::load);
  std::optional<failed_transfer> failed;
  bool no_room = false;
  {
    const base::signals_blocked quiet;
    std::size_t done = 0;
    while (done < span.count && !failed && !no_room) {
      bool is_first = false;
      failed = pin_page(static_cast<page_number>(span.first + done), how, &is_first);
      if (failed) break;
      ++done;
      no_room = is_first && pinned_.fetch_add(1) + 1 + least_unpinned > budget_;
    }
    if (failed || no_room) unpin({span.first * page_bytes, done * page_bytes});
  }
  if (failed) {
    log_.record(*failed);
    throw_failed(*failed, file_.name());
  }
  if (no_room)
    throw error(errc::out_of_capacity, "cannot pin " + std::to_string(range.bytes) + " bytes of " +
                                           file_.name() + ": four pages of the budget of " +
                                           std::to_string(budget_ * page_bytes) +
                                           " bytes must stay for what is not pinned");
}

void budgeted_mapping::unpin(byte_range range) noexcept {
  if (!is_in_this_process()) return;
  const page_span span = pages_of(range);
  for (std::size_t i = 0; i < span.count; ++i) {
    if (pages_[span.first + i].remove_pin()) pinned_.fetch_sub(1);
  }
}

void budgeted_mapping::advise(byte_range range, advice what) {
  require_this_process();
  if (is_given_away()) return;
  switch (what) {
    case advice::normal:
    case advice::random:
      reads_ahead_.store(what == advice::normal, std::memory_order_relaxed);
      return;
    case advice::will_need:
      prefetch({&range, 1});
      return;
    case advice::dont_need:
      break;
  }
  eviction result;
  {
    const base::signals_blocked quiet;
    const scratch_use own(scratches_);
    const page_span span = pages_of(range);
    std::size_t owned = 0;
    for (std::size_t i = 0; i < span.count; ++i) {
      const auto number = static_cast<page_number>(span.first + i);
      const page_word seen = pages_[number].read();
      if (seen.pins() == 0 && (seen.state() == page_state::clean || seen.state() == page_state::dirty) &&
          pages_[number].claim(
              seen, seen.state() == page_state::clean ? page_state::evicting : page_state::writing))
        own->victims[owned++] = number;
      if (owned == own->victims.size() || i + 1 == span.count) {
        expel({own->victims.data(), owned}, *own, by::advice, result);
        owned = 0;
      }
    }
  }
  if (result.failed) {
    log_.record(*result.failed);
    throw_failed(*result.failed, file_.name());
  }
}

// Pages that are on their way meanwhile find no place to go to, and are there all the same.
void budgeted_mapping::hand_over(bool shared) {
  if (mode_ != mode::read_only)
    throw error(errc::invalid_argument,
                file_.name() + " is mapped for writing: what was changed cannot be handed over");
  const bool is_child = !is_in_this_process();
  if (!is_child) {
    std::uint32_t seen = not_handed_over;
    if (!handing_over_.compare_exchange_strong(seen, being_handed_over)) {
      static_cast<void>(handing_over_done());
      return;
    }
  }
  const auto settle = [this](std::uint32_t state) {
    handing_over_.store(state);
    os::wake(handing_over_);
  };
  const std::size_t bytes = file_.pages() * page_bytes;
  if (!is_child) faults_->stop();
  try {
    os::map_as(memory_.base(), bytes, PROT_READ,
               (shared ? MAP_SHARED : MAP_PRIVATE) | (is_child ? MAP_FIXED_NOREPLACE : 0), file_.descriptor(),
               file_.offset_of(0));
  } catch (...) {
    if (!is_child) {
      faults_->go_on();
      settle(not_handed_over);
    }
    throw;
  }
  if (bytes != memory_.size()) ::munmap(memory_.base() + bytes, memory_.size() - bytes);
  if (!is_child) settle(handed_over);
}

// How it ended, if it was under way.
std::uint32_t budgeted_mapping::handing_over_done() const noexcept {
  std::uint32_t seen;
  while ((seen = handing_over_.load()) == being_handed_over) os::wait_while(handing_over_, seen);
  return seen;
}

pager::statistics budgeted_mapping::statistics() const {
  pager::statistics all;
  scratches_.for_each([&](const event_counters& one) {
    all.faults += one.faults.load(std::memory_order_relaxed);
    all.loads += one.loads.load(std::memory_order_relaxed);
    all.read_ahead += one.read_ahead.load(std::memory_order_relaxed);
    all.first_stores += one.first_stores.load(std::memory_order_relaxed);
    all.hot_loads += one.hot_loads.load(std::memory_order_relaxed);
    all.evictions += one.evictions.load(std::memory_order_relaxed);
    all.evictions_by_touch += one.evictions_by_touch.load(std::memory_order_relaxed);
    all.rescues += one.rescues.load(std::memory_order_relaxed);
    all.bytes_read += one.pages_read.load(std::memory_order_relaxed) * page_bytes;
    all.bytes_written += one.pages_written.load(std::memory_order_relaxed) * page_bytes;
    for (std::size_t i = 0; i < all.latency.size(); ++i)
      all.latency[i] += one.latency[i].load(std::memory_order_relaxed);
  });
  all.resident_bytes = resident_.load() * page_bytes;
  all.most_resident_bytes = most_resident_.load() * page_bytes;
  return all;
}

namespace {

std::unique_ptr<mapped_file> map_with(std::unique_ptr<file_io> file, const options& wanted,
                                      std::unique_ptr<page_faults> faults, pager::tier tier) {
  if (wanted.mode == mode::private_copy) file->open_spill(wanted.spill_directory);
  const auto bytes = static_cast<std::size_t>(file->size());
  return std::make_unique<budgeted_mapping>(std::move(file), bytes, wanted, std::move(faults), tier);
}

}  // namespace

std::unique_ptr<mapped_file> map_with_user_faults(std::unique_ptr<file_io> file, const options& wanted) {
  return map_with(std::move(file), wanted, std::make_unique<user_faults>(), tier::uffd_sigbus);
}

std::unique_ptr<mapped_file> map_with_guards(std::unique_ptr<file_io> file, const options& wanted) {
  return map_with(std::move(file), wanted, std::make_unique<guard_faults>(), tier::guard);
}

namespace {

// Too many open files, say, tell nothing of the machine.
bool is_shortage(const std::error_code& failed) noexcept {
  for (const int shortage : {EMFILE, ENFILE, ENOMEM, EAGAIN})
    if (failed.value() == shortage) return true;
  return false;
}

template <class Faults>
const char* why_not(const char* reason) {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes)) return "pages are not 4 KiB here";
  try {
    os::reservation probe(page_bytes, page_bytes);
    Faults faults;
    faults.watch(probe.base(), probe.size(), true);
    return nullptr;
  } catch (const std::system_error& failed) {
    if (is_shortage(failed.code())) throw;
    return reason;
  }
}

}  // namespace

const char* why_no_user_faults() {
  return why_not<user_faults>(
      "the kernel lacks userfaultfd with SIGBUS and write protection, or its settings forbid it");
}

const char* why_no_guards() {
  return why_not<guard_faults>("the kernel lacks guard regions for mapped files, which Linux 6.15 brought");
}

std::optional<std::string> why_no_guards_in(std::uint64_t bytes, mode wanted) {
  const std::uint64_t needed = guard_faults::page_table_bytes(bytes, wanted != mode::read_only);
  const std::uint64_t most = os::usable_memory() / 32;
  if (needed <= most) return std::nullopt;
  return "guards in " + std::to_string(bytes / mebibyte) + " MiB take " + std::to_string(needed / mebibyte) +
         " MiB of page tables, more than a 32nd of the memory that may be used (" +
         std::to_string(most / mebibyte) + " MiB); map parts of the file one after the other";
}

}  // namespace perdure::pager::detail
