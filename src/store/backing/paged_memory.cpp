// How changed pages leave memory before the checkpoint that will need them, and are found again.
#include "store/backing/paged_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "pager/spill_file.hpp"
#include "segment/page_runs.hpp"
#include "store/backing/fault_sentences.hpp"
#include "store/backing/forked_child.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

/// Runs `work`; what it throws becomes an errno.
template <class Work>
int errno_of(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return 0;
  } catch (const std::system_error& failure) {
    return failure.code().value();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (const std::exception&) {
    return EIO;
  }
}

pager::byte_range bytes_of(detail::page_run pages) {
  return {pages.first * page_size, pages.count * page_size};
}

}  // namespace

paged_memory::paged_memory(store_parts& parts, std::uint64_t bytes, detail::page_use use)
    : parts_(parts), is_all_home_(use == detail::page_use::none) {
  os::file spill;
  if (use == detail::page_use::dropped) spill = pager::detail::make_spill_file({}, parts.path);
  auto home =
      std::make_unique<paged_home>(parts.path.string(), parts.super.now(), parts.home, std::move(spill));
  memory_ = std::make_unique<paged_segment>(std::move(parts.place), std::move(home), bytes,
                                            parts.memory_budget, use);
  memory_->withhold_from_children(line_for_children(parts.path, false));
  memory_->explain_faults(lines_for_faults(parts.path, parts.use != store_use::read, fault_teller::pager));
}

paged_memory::paged_memory(store_parts& parts, epoch_commit& commit) : parts_(parts), commit_(&commit) {
  const layout::super_slot& super = parts.super.now();
  evicted_.emplace(super.capacity / page_size, (commit.epoch() + 1) & 1);
  page_writer& writer = *this;
  auto home = std::make_unique<paged_home>(parts.path.string(), super, parts.home, journaled(),
                                           parts.journals, writer);
  memory_ = std::make_unique<paged_segment>(std::move(parts.place), std::move(home), commit.bytes(),
                                            parts.memory_budget, detail::page_use::tracked);
  evicted_->attach(*memory_);
  memory_->withhold_from_children(line_for_children(parts.path, true));
  memory_->explain_faults(lines_for_faults(parts.path, true, fault_teller::pager));
}

// ---- checkpoints -----------------------------------------------------------------------------------------

void paged_memory::collect(changed_pages& changed, early_pages& early) {
  std::vector<detail::page_run> newly_dirty;
  const auto held = memory_->pages().hold_dirty();
  holds_ = true;
  for (const auto& run : held) newly_dirty.push_back({run.first, run.count});
  detail::normalize(newly_dirty);
  changed.add(newly_dirty, early);
}

void paged_memory::release_held(bool are_written) noexcept {
  if (!std::exchange(holds_, false)) return;
  memory_->pages().release_held(
      are_written, [this](pager::detail::page_number page) { return !journaled().is_home(page); });
}

void paged_memory::release(std::span<const detail::page_run> pages) {
  if (verifier_ != nullptr) verifier_->pass_over(pages);
  for (const detail::page_run& run : pages) journaled().erase(run);
}

// The program was told by a SIGBUS, and may have gone on all the same.
void paged_memory::require_none_lost() const {
  if (!memory_->home().has_lost_pages()) return;
  throw error(errc::io,
              "pages moved out of memory were lost by the device: reopen the store to go on from its "
              "last checkpoint");
}

// As if this process had committed it.
void paged_memory::take_up(const committed_journal& pending) {
  const auto leave = [this](std::uint64_t page, std::uint64_t slot, std::uint32_t checksum) {
    journaled().put_before(page, static_cast<journaled_pages::number>(slot), checksum);
    memory_->pages().spill(static_cast<journaled_pages::number>(page));
  };
  for (const journal_entry& entry : pending.index) {
    if (entry.carried != 0) continue;
    if (entry.kind == entry_kind::overwrite)
      leave(entry.page, entry.slot, static_cast<std::uint32_t>(entry.value));
    if (entry.kind == entry_kind::zero)
      for (std::uint64_t page = entry.page; page < entry.page + entry.value; ++page) leave(page, 0, 0);
  }
}

void paged_memory::examine_when_touched(lazy_verifier& verifier) {
  verifier_ = &verifier;
  memory_->examine_when_touched(verifier);
}

// ---- between checkpoints ---------------------------------------------------------------------------------

int paged_memory::in_turn(void (*work)(void*), void* context) noexcept {
  return errno_of([&] {
    const epoch_commit::turn turn = commit_->take_turn();
    // Home must hold the last checkpoint and no journal but its own may count.
    commit_->finish_last();
    parts_.home.sync_names();
    work(context);
  });
}

bool paged_memory::goes_to_journal(std::uint64_t page) noexcept {
  try {
    return !commit_->early().pages().is_touched(page) && commit_->committed().needs(page);
  } catch (const std::exception&) {
    // The table is damaged, which the checkpoint will report. Until then no page may be lost, so it goes to
    // the journal.
    return true;
  }
}

void paged_memory::write(std::span<leaving_run> runs, void (*failed)(leaving_run&, int)) noexcept {
  int journal_failed = 0;
  std::optional<slot_writer> slots;
  for (leaving_run& one : runs) {
    const int run_failed = errno_of([&] {
      if (one.spilled && !slots) slots.emplace(commit_->next_journal(), &journaled());
      write(one, slots);
    });
    if (run_failed == 0) continue;
    if (one.spilled) journal_failed = run_failed;
    failed(one, run_failed);
  }
  // Pages of many runs are written together, so it is known only then which of them are there.
  if (journal_failed == 0 && slots) journal_failed = errno_of([&] { slots->flush(); });
  if (journal_failed == 0) return;
  for (leaving_run& one : runs)
    if (one.spilled) failed(one, journal_failed);
}

void paged_memory::write(const leaving_run& one, std::optional<slot_writer>& slots) {
  const detail::page_run pages{one.first, one.count};
  // The pages may have been released by a checkpoint that failed; they are in use again.
  commit_->changed().add({pages}, commit_->early().pages());
  commit_->changed().forget_dirty();
  const auto is_empty = [&](std::uint64_t k) { return is_zero(one.memory + k * page_size, page_size); };
  for (std::uint64_t i = 0; i < pages.count;) {
    const bool empty = is_empty(i);
    std::uint64_t end = i + 1;
    while (end < pages.count && is_empty(end) == empty) ++end;
    const detail::page_run part{pages.first + i, end - i};
    if (empty) {
      if (!one.spilled) empty_home(part);
      for (std::uint64_t page = part.first; page < part.first + part.count; ++page)
        journaled().put_zero(page);
    } else if (one.spilled) {
      for (; i < end; ++i) slots->add(pages.first + i, one.memory + i * page_size);
    } else {
      write_home(part, one.memory + i * page_size);
    }
    i = end;
  }
}

void paged_memory::write_home(detail::page_run pages, const std::byte* from) {
  early_home& home = commit_->early();
  early_pages& early = home.pages();
  home.extend((pages.first + pages.count) * page_size);
  // Noted before the write, which may fail half way.
  early.touch(pages);
  parts_.home.write(pages.first, pages.count, from);
  for (std::uint64_t i = 0; i < pages.count; ++i) {
    const std::uint32_t checksum = page_checksum(pages.first + i, from + i * page_size);
    journaled().put_home(pages.first + i, checksum);
    early.settle(pages.first + i, checksum);
  }
}

// Makes pages that the last checkpoint does not need read as zero at home.
void paged_memory::empty_home(detail::page_run pages) {
  early_home& home = commit_->early();
  early_pages& early = home.pages();
  home.extend((pages.first + pages.count) * page_size);
  for (std::uint64_t page = pages.first; page < pages.first + pages.count; ++page) {
    // Beyond the last checkpoint's end there is a hole already.
    if (page >= commit_->bytes() / page_size && !early.is_touched(page)) continue;
    early.touch({page, 1});
    parts_.home.punch({page, 1});
  }
}

// ---- what programs ask -----------------------------------------------------------------------------------

void paged_memory::trim() {
  reporting("write the changed pages of", parts_.path, [this] {
    {
      // Finished here: the pager would meet the same failure, and could report no more than an errno.
      const epoch_commit::turn turn = commit_->take_turn();
      require_none_lost();
      commit_->finish_last();
    }
    memory_->pages().drain();
  });
}

pager::pin paged_memory::pin_in_memory(detail::page_run pages, pager::pin_for use) {
  if (use == pager::pin_for::writing && memory_->read_only())
    throw error(errc::read_only,
                parts_.path.string() + " is open for reading: it cannot be pinned for writing");
  return reporting("pin memory of", parts_.path, [&] {
    memory_->pages().pin(bytes_of(pages), use);
    return pager::detail::adopt_pin(memory_->pages(), bytes_of(pages));
  });
}

bool paged_memory::write_through(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes) {
  if (commit_ == nullptr) return false;
  std::vector<detail::page_run> written;
  const auto write_home = [&] {
    const epoch_commit::turn turn = commit_->take_turn();
    // Rather a second copy than a wait for the device.
    if (!commit_->is_last_committed()) return;
    require_none_lost();
    commit_->finish_last();
    const committed_state before = commit_->committed();
    direct_writer writer(parts_, commit_->early().pages(), before, &journaled());
    const std::vector<detail::page_run> direct = writer.writable(pages);
    if (direct.empty()) return;
    parts_.home.sync_names();
    commit_->early().extend((pages.first + pages.count) * page_size);
    if (verifier_ != nullptr) verifier_->pass_over(direct);
    for (const detail::page_run& run : direct) {
      // A thread that brings pages in may wait for room, which the evictor makes in a turn, so that nobody
      // must wait for such pages here.
      memory_->pages().occupy(static_cast<pager::detail::page_number>(run.first), run.count,
                              [&](pager::detail::page_number first, std::size_t count) {
                                const detail::page_run taken{first, count};
                                const std::uint64_t at = first - pages.first;
                                write_occupied(taken, from + at * page_size, of_bytes + at, writer);
                                written.push_back(taken);
                              });
    }
  };
  write_home();
  // Not in the turn, which the evictor may need to make room for these pages. A checkpoint may begin
  // meanwhile: it write-protects pages before it looks at them, so that what is stored afterwards is the next
  // one's.
  copy_to_memory(memory_->base(), pages, detail::subtract({pages}, written), from, of_bytes);
  return true;
}

void paged_memory::write_occupied(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes,
                                  direct_writer& writer) {
  struct occupied {
    pager::detail::checkpointed_mapping& memory;
    detail::page_run pages;
    ~occupied() { memory.vacate(static_cast<pager::detail::page_number>(pages.first), pages.count); }
  } const until_written{memory_->pages(), pages};
  journaled().reserve_zeros(pages.count);
  // Released by a checkpoint that failed, and in use again.
  commit_->changed().add({pages}, commit_->early().pages());
  commit_->changed().forget_dirty();
  try {
    writer.write(pages, from, of_bytes);
  } catch (...) {
    // Home has anything there, so they are empty from now on.
    for (std::uint64_t page = pages.first; page < pages.first + pages.count; ++page)
      journaled().put_zero(page);
    throw;
  }
  writer.settle();
}

// In pieces, of which each fits beside what else is in memory.
bool paged_memory::read_through(detail::page_run pages, std::byte* to) {
  memory_->require_sound(pages);
  const std::uint64_t most = std::max<std::uint64_t>(parts_.memory_budget / page_size / 8, 16);
  for (std::uint64_t done = 0; done < pages.count;) {
    const detail::page_run piece{pages.first + done, std::min(most, pages.count - done)};
    bring_in(piece);
    std::memcpy(to + done * page_size, memory_->base() + piece.first * page_size, piece.count * page_size);
    done += piece.count;
  }
  return true;
}

bool paged_memory::read_scattered(std::span<const detail::page_run> pages, std::span<std::byte* const> to) {
  if (!is_all_home_) {
    std::vector<pager::byte_range> ranges;
    ranges.reserve(pages.size());
    for (const detail::page_run& run : pages) ranges.push_back(bytes_of(run));
    memory_->pages().prefetch(ranges);
    return false;
  }
  constexpr std::uint64_t most_pages = 64;  // of a request: larger ones are divided by the kernel
  std::vector<pager::detail::page_transfer> runs;
  runs.reserve(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].count == 0) continue;
    memory_->require_sound(pages[i]);
    for (std::uint64_t done = 0; done < pages[i].count; done += most_pages)
      runs.push_back({static_cast<pager::detail::page_number>(pages[i].first + done),
                      static_cast<std::size_t>(std::min(most_pages, pages[i].count - done)), false,
                      to[i] + done * page_size});
  }
  std::vector<os::transfer_request> requests(runs.size());
  os::parallel_io io;
  memory_->home().read_all(runs, io, requests, [](const pager::detail::page_transfer&) {});
  for (const pager::detail::page_transfer& run : runs)
    if (run.failed)
      throw std::system_error(run.failed->error == 0 ? EIO : run.failed->error, std::generic_category(),
                              "cannot read pages at offset " + std::to_string(run.failed->offset));
  return true;
}

void paged_memory::bring_in(detail::page_run pages) {
  const pager::byte_range range = bytes_of(pages);
  reporting("prefetch", parts_.path, [&] { memory_->pages().prefetch(std::span(&range, 1)); });
}

}  // namespace perdure::store
