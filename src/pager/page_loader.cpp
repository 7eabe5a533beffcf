// Brings pages into memory: makes room, reads them, and has the kernel show them to the program.
#include "pager/page_loader.hpp"

#include <cstdint>

namespace perdure::pager::detail {

std::optional<failed_transfer> page_loader::load(page_span run, page_number touched, os::touch how,
                                                 scratch& own) noexcept {
  if (const auto failed = room_.make_room(run.count, own)) {
    abandon(run);
    return failed;
  }
  const bool spilled = pages_[run.first].read().is_spilled();
  if (const auto failed = pages_.source.read(run.first, run.count, spilled, own.buffer)) {
    abandon(run);
    budget_.give_back(run.count);
    return failed;
  }
  return show(run, touched, how, own.buffer, own);
}

std::optional<failed_transfer> page_loader::load_all(std::span<page_transfer> runs,
                                                     std::optional<page_number> touched, os::touch how,
                                                     scratch& own) noexcept {
  std::size_t pages = 0;
  for (page_transfer& run : runs) {
    run.memory = own.buffer + pages * page_size;
    pages += run.count;
  }
  if (const auto failed = room_.make_room(pages, own)) {
    for (const page_transfer& run : runs) abandon({run.first, run.count});
    return failed;
  }
  std::optional<failed_transfer> first_failure;
  pages_.source.read_all(runs, own.io, own.requests, [&](const page_transfer& run) {
    const bool has_touched = touched && *touched - run.first < run.count;
    std::optional<failed_transfer> failed = run.failed;
    if (failed) {
      abandon({run.first, run.count});
      budget_.give_back(run.count);
    } else {
      failed = has_touched ? show({run.first, run.count}, touched, how, run.memory, own)
                           : show({run.first, run.count}, std::nullopt, os::touch::read, run.memory, own);
    }
    if (failed && !first_failure && (has_touched || !touched)) first_failure = failed;
  });
  return first_failure;
}

// For pages that this thread owns, that there is room for, and that have been read.
std::optional<failed_transfer> page_loader::show(page_span run, std::optional<page_number> touched,
                                                 os::touch how, const std::byte* from,
                                                 scratch& own) noexcept {
  page_span writable{touched.value_or(run.first), how == os::touch::write ? 1UL : 0UL};
  if (pages_.is_writable && pages_.forecast.expects_write(run.first)) writable = run;
  // Another thread may write to them, and have that written to disk, before this one has settled them.
  for (std::size_t i = 0; i < writable.count; ++i) {
    const auto number = static_cast<page_number>(writable.first + i);
    pages_[number].go_on(page_state::loading, page_state::dirtying);
    pages_.dirtied.note(number);
  }
  if (const int refused = install(run, writable, from); refused != 0) {
    abandon(run);
    budget_.give_back(run.count);
    return pages_.failure_at(run.first, failure::operation::read, refused);
  }
  const std::size_t asked_for = touched ? 1 : 0;
  count(own.events.loads, asked_for);
  count(own.events.read_ahead, run.count - asked_for);
  count(own.events.pages_read, run.count);
  settle(run, writable, touched, own);
  return std::nullopt;
}

// The `writable` pages of the run can be written to at once. 0, or an errno; then none of them is there.
int page_loader::install(page_span run, page_span writable, const std::byte* from) noexcept {
  const bool is_protected = pages_.is_writable;
  std::size_t done = 0;
  int failed = 0;
  const auto next = [&](std::size_t pages, bool protects) {
    if (failed != 0 || pages == 0) return;
    const std::size_t at = done * page_size;
    failed = pages_.faults.install(pages_.address_of(run.first) + at, from + at, pages * page_size, protects);
    done += pages;
  };
  if (writable.count != 0) {
    next(writable.first - run.first, is_protected);
    next(writable.count, false);
  }
  next(run.count - done, is_protected);
  const iovec all{pages_.address_of(run.first), run.count * page_size};
  if (failed != 0) pages_.faults.drop({&all, 1});
  return failed;
}

// Ends the ownership of pages that are in memory now, and puts them into a queue of those that may leave it.
void page_loader::settle(page_span run, page_span writable, std::optional<page_number> touched,
                         scratch& own) noexcept {
  for (std::size_t i = 0; i < run.count; ++i) {
    const auto number = static_cast<page_number>(run.first + i);
    const page_word seen = pages_[number].read();
    // Only a page that was asked for shows that it comes back.
    const std::uint32_t chances = number == touched ? order_.clock.chances(seen.history()) : 0;
    const bool hot = chances != 0;
    settling change{page_word::history_bits, page_word::as_history(chances) | page_word::queued_bit};
    if (hot && !seen.is_queued()) change.set |= page_word::hot_bit;
    const page_state state = number - writable.first < writable.count ? page_state::dirty : page_state::clean;
    if (state == page_state::clean) change.set |= page_word::read_bit;
    // Settled first: what is in a queue must be ready to leave it. A page that is in a queue already stays
    // where it is; put into the same one once more, it would tie the queue in a knot.
    const bool was_queued = pages_[number].settle(state, change).is_queued();
    if (hot) count(own.events.hot_loads);
    if (!was_queued) order_.queues.push(number, hot);
  }
}

void page_loader::abandon(page_span run) noexcept {
  for (std::size_t i = 0; i < run.count; ++i) pages_[run.first + i].settle(page_state::absent);
}

}  // namespace perdure::pager::detail
