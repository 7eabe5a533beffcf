#include "pager/uffd_mapping.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

#include "os/signals_blocked.hpp"
#include "os/system_error.hpp"

namespace perdure::pager::detail {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

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

[[noreturn]] void throw_failed(const failed_transfer& failed, const std::string& path) {
  throw error(code_of(failed), describe(failed, path));
}

}  // namespace

uffd_mapping::uffd_mapping(file_io&& file, const options& wanted)
    : file_(std::move(file)),
      mode_(wanted.mode),
      budget_(std::min(wanted.budget / page_bytes, std::max(file_.pages(), least_unpinned))),
      least_free_(budget_ < file_.pages() ? std::min<std::size_t>(budget_ / 64, 256) : 0),
      wanted_free_(2 * least_free_),
      most_together_(std::clamp<std::size_t>(budget_ / 16, 1, most_pages_at_once)),
      log_(file_.name()),
      page_table_memory_(rounded_up(file_.pages() * sizeof(page), page_bytes), page_bytes),
      pages_(reinterpret_cast<page*>(page_table_memory_.base())),
      queues_(file_.pages(), budget_),
      clock_(budget_),
      presence_(page_bytes, page_bytes),
      // Aligned so that the kernel's page tables are shared with nobody.
      memory_(rounded_up(file_.pages() * page_bytes, 2 * mebibyte), 2 * mebibyte) {
  if (mode_ == mode::private_copy) file_.open_spill(wanted.spill_directory);

  // Zero memory is a valid array of absent pages.
  os::map_anonymous(page_table_memory_.base(), page_table_memory_.size(), os::access::read_write);
  os::map_anonymous(presence_.base(), presence_.size(), os::access::read_write);
  if (::madvise(presence_.base(), presence_.size(), MADV_WIPEONFORK) != 0)
    os::throw_errno("madvise", "MADV_WIPEONFORK");
  *presence_.base() = std::byte{1};

  const std::size_t bytes = file_.pages() * page_bytes;
  os::map_anonymous(memory_.base(), bytes,
                    mode_ == mode::read_only ? os::access::read : os::access::read_write);
  os::prefer_small_pages(memory_.base(), bytes);
  if (::madvise(memory_.base(), bytes, MADV_DONTFORK) != 0) os::throw_errno("madvise", "MADV_DONTFORK");
  faults_.watch(memory_.base(), bytes, mode_ != mode::read_only);

  // Kernels before 6.13 let a process do this to others only.
  self_ = os::file(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)), "pidfd");
  if (self_) {
    const iovec nothing_yet{memory_.base(), page_bytes};
    evicts_in_batches_ = ::syscall(SYS_process_madvise, self_.descriptor(), &nothing_yet, 1, MADV_DONTNEED,
                                   0) == static_cast<long>(page_bytes);
  }
  watch_.emplace(memory_.base(), bytes, os::watched_touches::missing, &uffd_mapping::on_touch, this);

  if (least_free_ != 0) {
    const os::signals_blocked none_in_the_evictor;
    const int failed = ::pthread_create(&evictor_, nullptr, &uffd_mapping::evict_in_background, this);
    if (failed != 0) os::throw_errno("start a thread", "", failed);
  }
}

uffd_mapping::~uffd_mapping() {
  if (!is_in_this_process()) {
    memory_.forget();
    return;
  }
  if (least_free_ != 0) {
    evictor_ends_.store(true);
    evictor_calls_.fetch_add(1);
    os::wake(evictor_calls_);
    ::pthread_join(evictor_, nullptr);
  }
  if (mode_ == mode::write_back) {
    const os::signals_blocked quiet;
    if (const auto failed = write_dirty()) log_.announce(*failed);
  }
}

uffd_mapping::page_span uffd_mapping::pages_of(byte_range range) const noexcept {
  const auto first = static_cast<page_number>(range.offset / page_bytes);
  const std::size_t end = (range.offset + range.bytes + page_bytes - 1) / page_bytes;
  return {first, range.bytes == 0 ? 0 : end - first};
}

// Faults ---------------------------------------------------------------------------------------------------

bool uffd_mapping::on_touch(void* self, std::byte* address, os::touch how) noexcept {
  auto& mapping = *static_cast<uffd_mapping*>(self);
  if (!mapping.is_in_this_process()) return false;
  const auto page = static_cast<page_number>(static_cast<std::size_t>(address - mapping.data()) / page_bytes);
  count(mapping.scratches_.events().faults);
  const std::optional<failed_transfer> failed = mapping.bring_in(page, how);
  if (failed) mapping.log_.announce(*failed);
  return !failed;
}

// Until the touch can succeed, as far as can be told: another thread may always be faster.
std::optional<failed_transfer> uffd_mapping::bring_in(page_number number, os::touch how) noexcept {
  page& touched = pages_[number];
  for (;;) {
    const page_word seen = touched.read();
    switch (seen.state()) {
      case page_state::absent:
        if (touched.claim(seen, page_state::loading)) {
          const std::uint64_t started = nanoseconds();
          const scratch_use own(scratches_);
          const std::size_t window =
              reads_ahead_.load(std::memory_order_relaxed) ? streams_.window(number, most_together_) : 1;
          const page_span run{number, 1 + claim_absent_after(number, window - 1)};
          auto failed = load(run, how, *own);
          if (failed && run.count > 1) {
            // Perhaps it was not the page that was touched.
            const page_word again = touched.read();
            if (again.state() != page_state::absent || !touched.claim(again, page_state::loading)) continue;
            failed = load({number, 1}, how, *own);
          }
          if (!failed) {
            if (most_together_ > 1) streams_.brought_in(number, run.count);
            const auto log2 = static_cast<std::size_t>(std::bit_width((nanoseconds() - started) | 1) - 1);
            count(own->events.latency[std::min(log2, own->events.latency.size() - 1)]);
          }
          return failed;
        }
        break;
      case page_state::loading:
      case page_state::evicting:
        touched.wait(seen);
        break;
      case page_state::writing:
        if (how == os::touch::load) return std::nullopt;
        touched.wait(seen);
        break;
      case page_state::clean:
        if (how == os::touch::load) return std::nullopt;
        if (touched.claim(seen, page_state::loading)) return make_writable(number);
        break;
      case page_state::dirty:
        return std::nullopt;
    }
  }
}

std::optional<failed_transfer> uffd_mapping::make_writable(page_number number) noexcept {
  const int failed = faults_.protect(address_of(number), page_bytes, false);
  pages_[number].settle(failed == 0 ? page_state::dirty : page_state::clean);
  if (failed != 0)
    return failed_transfer{failure::operation::write, std::uint64_t{number} * page_bytes, failed};
  count(scratches_.events().first_stores);
  return std::nullopt;
}

// Pages that follow `first`, which is owned, and could be read in one call with it.
std::size_t uffd_mapping::claim_absent_after(page_number first, std::size_t most) noexcept {
  most = std::min(most, file_.pages() - first - 1);
  const bool spilled = pages_[first].read().is_spilled();
  std::size_t claimed = 0;
  while (claimed < most) {
    page& next = pages_[first + 1 + claimed];
    const page_word seen = next.read();
    if (seen.state() != page_state::absent || seen.is_spilled() != spilled ||
        !next.claim(seen, page_state::loading))
      break;
    ++claimed;
  }
  return claimed;
}

void uffd_mapping::abandon(page_span run) noexcept {
  for (std::size_t i = 0; i < run.count; ++i) pages_[run.first + i].settle(page_state::absent);
}

// The run is owned; it is settled in any case. All of it is on the same disk file.
std::optional<failed_transfer> uffd_mapping::load(page_span run, os::touch how, scratch& own) noexcept {
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
  return settle_loaded(run, how, true, own.buffer, own);
}

// The same for several runs that nobody touched yet, together no more than the buffer holds. The first
// failure.
std::optional<failed_transfer> uffd_mapping::load_all(std::span<page_run> runs, scratch& own) noexcept {
  std::size_t pages = 0;
  for (page_run& run : runs) {
    run.memory = own.buffer + pages * page_bytes;
    pages += run.count;
  }
  if (const auto failed = make_room(pages, own)) {
    for (const page_run& run : runs) abandon({run.first, run.count});
    return failed;
  }
  file_.read_all(runs, own.io, own.requests);
  std::optional<failed_transfer> first_failure;
  for (const page_run& run : runs) {
    std::optional<failed_transfer> failed = run.failed;
    if (failed) {
      abandon({run.first, run.count});
      resident_.fetch_sub(run.count);
    } else {
      failed = settle_loaded({run.first, run.count}, os::touch::load, false, run.memory, own);
    }
    if (failed && !first_failure) first_failure = failed;
  }
  return first_failure;
}

// The run is owned, and there is room for it.
std::optional<failed_transfer> uffd_mapping::settle_loaded(page_span run, os::touch how, bool is_touched,
                                                           const std::byte* from, scratch& own) noexcept {
  if (const int refused = install(run, how, from); refused != 0) {
    abandon(run);
    resident_.fetch_sub(run.count);
    return failed_transfer{failure::operation::read, std::uint64_t{run.first} * page_bytes, refused};
  }
  const std::size_t asked_for = is_touched ? 1 : 0;
  count(own.events.loads, asked_for);
  count(own.events.read_ahead, run.count - asked_for);
  count(own.events.pages_read, run.count);

  for (std::size_t i = 0; i < run.count; ++i) {
    const auto number = static_cast<page_number>(run.first + i);
    const page_word seen = pages_[number].read();
    // Only what was asked for shows that a page comes back.
    const std::uint32_t chances = is_touched && i == 0 ? clock_.chances(seen.history()) : 0;
    const bool hot = chances != 0;
    settling change{page_word::history_bits, page_word::as_history(chances) | page_word::queued_bit};
    if (hot && !seen.is_queued()) change.set |= page_word::hot_bit;
    const page_state state = how == os::touch::store && i == 0 ? page_state::dirty : page_state::clean;
    // Settled first: what is in a queue must be ready to leave it. A page that is in one already stays where
    // it is; and once more in the same would tie the queue in a knot.
    const bool was_queued = pages_[number].settle(state, change).is_queued();
    if (hot) count(own.events.hot_loads);
    if (!was_queued) queues_.push(number, hot);
  }
  return std::nullopt;
}

int uffd_mapping::install(page_span run, os::touch how, const std::byte* from) noexcept {
  std::byte* at = address_of(run.first);
  std::size_t bytes = run.count * page_bytes;
  const auto put = [&](std::size_t part, bool is_protected) {
    int failed = faults_.install(at, from, part, is_protected);
    if (failed == EEXIST) {
      // Nothing of ours is there. Whatever made it, the file's bytes are what belongs there.
      ::madvise(at, part, MADV_DONTNEED);
      failed = faults_.install(at, from, part, is_protected);
    }
    at += part;
    from += part;
    bytes -= part;
    return failed;
  };
  int failed = 0;
  if (how == os::touch::store) failed = put(page_bytes, false);
  if (failed == 0 && bytes != 0) failed = put(bytes, mode_ != mode::read_only);
  if (failed != 0) ::madvise(address_of(run.first), run.count * page_bytes, MADV_DONTNEED);
  return failed;
}

// Room -----------------------------------------------------------------------------------------------------

std::optional<failed_transfer> uffd_mapping::make_room(std::size_t pages, scratch& own) noexcept {
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
    if (made.evicted == 0) {
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

void uffd_mapping::call_evictor() noexcept {
  if (!evictor_rests_.load(std::memory_order_relaxed) || !evictor_rests_.exchange(false)) return;
  evictor_calls_.fetch_add(1);
  os::wake(evictor_calls_);
}

void* uffd_mapping::evict_in_background(void* self) noexcept {
  static_cast<uffd_mapping*>(self)->keep_room();
  return nullptr;
}

void uffd_mapping::keep_room() noexcept {
  const scratch_use own(scratches_);
  for (;;) {
    const std::uint32_t calls = evictor_calls_.load();
    if (evictor_ends_.load()) return;
    std::size_t free;
    while ((free = budget_ - resident_.load()) < wanted_free_) {
      const eviction made = evict(wanted_free_ - free, *own, by::evictor);
      if (made.failed) log_.record(*made.failed);
      if (made.evicted == 0) break;
    }
    file_.drop_cached();
    evictor_rests_.store(true);
    os::wait_while(evictor_calls_, calls);
  }
}

uffd_mapping::eviction uffd_mapping::evict(std::size_t wanted, scratch& own, by whom) noexcept {
  eviction result;
  wanted = std::min(wanted, own.victims.size());
  // Those that cannot go, or have a chance left, are put back; none has more than three.
  std::size_t looks = 4 * queues_.size();
  while (result.evicted < wanted && looks != 0) {
    const std::size_t taken = queues_.take({own.victims.data(), std::min(wanted - result.evicted, looks)});
    if (taken == 0) break;
    looks -= taken;
    std::size_t owned = 0;
    for (std::size_t i = 0; i < taken; ++i) {
      const page_number number = own.victims[i];
      page& victim = pages_[number];
      for (bool decided = false; !decided;) {
        const page_word seen = victim.read();
        const page_state state = seen.state();
        if (state == page_state::absent) {
          decided = victim.unqueue(seen);
        } else if (seen.is_hot() && seen.history() != 0 &&
                   (state == page_state::clean || state == page_state::dirty)) {
          if (!victim.rewrite_history(seen, seen.history() - 1)) continue;
          queues_.push(number, true);
          decided = true;
        } else if (seen.pins() != 0 || (state != page_state::clean && state != page_state::dirty)) {
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

void uffd_mapping::expel(std::span<page_number> owned, scratch& own, by whom, eviction& result) noexcept {
  if (owned.empty()) return;
  const bool are_queued = whom != by::advice;
  std::sort(owned.begin(), owned.end());
  const std::span<const page_number> leaving(own.victims.data(), clean(owned, own, are_queued, result));
  if (leaving.empty()) return;
  discard(leaving, own);
  clock_.evicted(leaving.size());
  settling change{page_word::history_bits, 0};
  if (are_queued) {
    change.clear |= page_word::queued_bit | page_word::hot_bit;
    change.set = page_word::as_history(clock_.now());
  }
  for (const page_number number : leaving) pages_[number].settle(page_state::absent, change);
  resident_.fetch_sub(leaving.size());
  result.evicted += leaving.size();
  count(own.events.evictions, leaving.size());
  if (whom == by::touch) count(own.events.evictions_by_touch, leaving.size());
}

// Writes those that are dirty. What may leave memory then comes first in `owned`; how many, is returned.
std::size_t uffd_mapping::clean(std::span<const page_number> owned, scratch& own, bool are_queued,
                                eviction& result) noexcept {
  std::size_t leaving = 0;
  std::size_t dirty = 0;
  // Those that are clean go to the front; the dirty ones behind them stay in their order.
  for (const page_number number : owned) {
    if (pages_[number].read().state() == page_state::evicting) {
      own.victims[leaving++] = number;
    } else {
      own.dirty[dirty++] = number;
    }
  }
  std::size_t runs = 0;
  for (std::size_t i = 0; i < dirty; ++i) {
    const page_number number = own.dirty[i];
    if (runs != 0 && own.runs[runs - 1].first + own.runs[runs - 1].count == number) {
      ++own.runs[runs - 1].count;
    } else {
      own.runs[runs++] = {number, 1};
    }
  }
  std::size_t held = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    if (hold_stores(own.runs[i])) {
      ++held;
    } else {
      result.failed = own.runs[i].failed;
    }
  }
  // Almost always all; a run that could not be held must not be written.
  if (held == runs) write_held({own.runs.data(), runs}, own);

  const std::uint32_t spilled = mode_ == mode::private_copy ? page_word::spilled_bit : 0;
  const auto put_back = [&](page_number number, page_state state, settling change) {
    const page_word before = pages_[number].settle(state, change);
    if (are_queued) queues_.push(number, before.is_hot());
  };
  for (const page_run& run : std::span(own.runs.data(), runs)) {
    const bool is_written = held == runs && !run.failed;
    if (!is_written) {
      // Stores were held while it was written, or while others were.
      faults_.protect(run.memory, run.count * page_bytes, false);
      if (run.failed) result.failed = run.failed;
    }
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto number = static_cast<page_number>(run.first + i);
      if (!is_written) {
        put_back(number, page_state::dirty, {});
      } else if (pages_[number].go_on_unless_awaited(page_state::evicting, spilled)) {
        own.victims[leaving++] = number;
      } else {
        put_back(number, page_state::clean, {0, spilled});
        count(own.events.rescues);
      }
    }
  }
  std::sort(own.victims.begin(), own.victims.begin() + static_cast<std::ptrdiff_t>(leaving));
  return leaving;
}

// The run is being written by this thread. From here on a store to it is a fault, which waits; so what is
// written is what is in memory until then.
bool uffd_mapping::hold_stores(page_run& run) noexcept {
  run.memory = address_of(run.first);
  run.failed.reset();
  const int refused = faults_.protect(run.memory, run.count * page_bytes, true);
  run.held = refused == 0;
  if (run.held) return true;
  run.failed = failed_transfer{failure::operation::write, std::uint64_t{run.first} * page_bytes, refused};
  return false;
}

void uffd_mapping::write_held(std::span<page_run> runs, scratch& own) noexcept {
  file_.write_all(runs, own.io, own.requests);
  for (const page_run& run : runs)
    if (!run.failed) count(own.events.pages_written, run.count);
}

void uffd_mapping::discard(std::span<const page_number> sorted, scratch& own) noexcept {
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
  // One call, so that the other processors are told once to forget what they know of these pages.
  if (evicts_in_batches_ && parts > 1) {
    const long done =
        ::syscall(SYS_process_madvise, self_.descriptor(), own.parts.data(), parts, MADV_DONTNEED, 0);
    if (done == static_cast<long>(sorted.size() * page_bytes)) return;
  }
  for (std::size_t i = 0; i < parts; ++i)
    ::madvise(own.parts[i].iov_base, own.parts[i].iov_len, MADV_DONTNEED);
}

// What programs ask for ------------------------------------------------------------------------------------

// Signals must be blocked. The first failure; all that can be written is written all the same.
std::optional<failed_transfer> uffd_mapping::write_dirty() noexcept {
  const scratch_use own(scratches_);
  std::optional<failed_transfer> first_failure;
  std::size_t runs = 0;
  const auto write_runs = [&] {
    write_held({own->runs.data(), runs}, *own);
    for (const page_run& run : std::span(own->runs.data(), runs)) {
      if (run.failed && !first_failure) first_failure = run.failed;
      // What was pinned is a run of its own, and not held: a system call may be storing to it, and could not
      // wait. It stays dirty, so whatever that stores is written next time.
      if (run.failed && run.held) faults_.protect(run.memory, run.count * page_bytes, false);
      for (std::size_t i = 0; i < run.count; ++i)
        pages_[run.first + i].settle(run.failed || !run.held ? page_state::dirty : page_state::clean);
    }
    runs = 0;
  };
  const std::size_t all = file_.pages();
  for (std::size_t i = 0; i < all;) {
    page& one = pages_[i];
    const page_word seen = one.read();
    if (seen.state() == page_state::writing) {
      // Someone evicts it, and may fail. Nobody may have to wait for pages of this thread meanwhile.
      write_runs();
      one.wait(seen);
      continue;
    }
    if (seen.state() != page_state::dirty) {
      ++i;
      continue;
    }
    if (!one.claim(seen, page_state::writing)) continue;
    page_run& run = own->runs[runs];
    run = {static_cast<page_number>(i), 1, false, address_of(static_cast<page_number>(i))};
    while (seen.pins() == 0 && run.count < most_pages_at_once && i + run.count < all) {
      page& next = pages_[i + run.count];
      const page_word word = next.read();
      if (word.state() != page_state::dirty || word.pins() != 0 || !next.claim(word, page_state::writing))
        break;
      ++run.count;
    }
    i += run.count;
    if (seen.pins() != 0 || hold_stores(run)) {
      if (++runs == own->runs.size()) write_runs();
      continue;
    }
    if (!first_failure) first_failure = run.failed;
    faults_.protect(run.memory, run.count * page_bytes, false);
    for (std::size_t k = 0; k < run.count; ++k) pages_[run.first + k].settle(page_state::dirty);
  }
  write_runs();
  return first_failure;
}

// In a child the descriptors still act on the memory of the parent.
void uffd_mapping::require_this_process() const {
  if (!is_in_this_process())
    throw error(errc::invalid_argument, file_.name() +
                                            " was mapped by the parent process: a forked child has no "
                                            "region");
}

void uffd_mapping::flush() {
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
    const os::signals_blocked quiet;
    failed = write_dirty();
  }
  if (failed) {
    log_.record(*failed);
    throw_failed(*failed, file_.name());
  }
  try {
    file_.file().sync_data();
  } catch (const std::system_error& e) {
    sync_error_.store(e.code().value());
    check_sync();
  }
}

void uffd_mapping::prefetch(std::span<const byte_range> ranges) {
  require_this_process();
  std::optional<failed_transfer> failed;
  {
    const os::signals_blocked quiet;
    const scratch_use own(scratches_);
    const std::size_t most_together = std::clamp<std::size_t>(budget_ / 4, 1, most_pages_at_once);
    std::size_t left = std::max<std::size_t>(budget_ / 2, 1);
    std::size_t runs = 0;
    std::size_t pages = 0;
    const auto load_runs = [&] {
      failed = load_all({own->loads.data(), runs}, *own);
      if (failed && failed->error == EAGAIN) {
        failed.reset();
        left = 0;
      }
      runs = pages = 0;
    };
    for (const byte_range& range : ranges) {
      const page_span span = pages_of(range);
      for (std::size_t i = 0; i < span.count && left != 0 && !failed;) {
        const auto number = static_cast<page_number>(span.first + i);
        const page_word seen = pages_[number].read();
        if (seen.state() != page_state::absent || !pages_[number].claim(seen, page_state::loading)) {
          ++i;
          continue;
        }
        const std::size_t most = std::min({span.count - i, most_together - pages, left});
        const std::size_t count = 1 + claim_absent_after(number, most - 1);
        own->loads[runs++] = {number, count, seen.is_spilled()};
        i += count;
        left -= count;
        pages += count;
        if (pages == most_together || left == 0) load_runs();
      }
    }
    if (runs != 0) load_runs();
  }
  if (failed) {
    log_.record(*failed);
    throw_failed(*failed, file_.name());
  }
}

std::optional<failed_transfer> uffd_mapping::pin_page(page_number number, os::touch how,
                                                      bool* is_first) noexcept {
  for (;;) {
    const page_word seen = pages_[number].read();
    const bool is_there =
        seen.state() == page_state::dirty || (seen.state() == page_state::clean && how == os::touch::load);
    if (is_there) {
      if (seen.pins() == page_word::most_pins)
        return failed_transfer{failure::operation::read, std::uint64_t{number} * page_bytes, EOVERFLOW};
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

void uffd_mapping::pin(byte_range range, pin_for use) {
  require_this_process();
  if (use == pin_for::writing && mode_ == mode::read_only)
    throw error(errc::read_only, file_.name() + " is mapped for reading: it cannot be pinned for writing");
  const page_span span = pages_of(range);
  const os::touch how = use == pin_for::writing ? os::touch::store : os::touch::load;
  std::optional<failed_transfer> failed;
  bool no_room = false;
  {
    const os::signals_blocked quiet;
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

void uffd_mapping::unpin(byte_range range) noexcept {
  if (!is_in_this_process()) return;
  const page_span span = pages_of(range);
  for (std::size_t i = 0; i < span.count; ++i) {
    if (pages_[span.first + i].remove_pin()) pinned_.fetch_sub(1);
  }
}

void uffd_mapping::advise(byte_range range, advice what) {
  require_this_process();
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
    const os::signals_blocked quiet;
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

pager::statistics uffd_mapping::statistics() const {
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

std::unique_ptr<mapped_file> map_with_user_faults(file_io&& file, const options& wanted) {
  return std::make_unique<uffd_mapping>(std::move(file), wanted);
}

const char* why_no_user_faults() noexcept {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes)) return "pages are not 4 KiB here";
  try {
    os::reservation probe(page_bytes, page_bytes);
    os::map_anonymous(probe.base(), probe.size(), os::access::read_write);
    user_faults faults;
    faults.watch(probe.base(), probe.size(), true);
    return nullptr;
  } catch (const std::exception&) {
    return "the kernel lacks userfaultfd with SIGBUS and write protection, or its settings forbid it";
  }
}

}  // namespace perdure::pager::detail
