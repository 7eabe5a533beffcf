// The memory of a store in a private mapping: changed pages stay in memory until their checkpoint, unless
// they become too many.
#include "store/backing/private_memory.hpp"

#include <algorithm>

#include "segment/page_runs.hpp"
#include "store/backing/direct_writer.hpp"
#include "store/backing/fault_sentences.hpp"
#include "store/backing/forked_child.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

namespace {

constexpr std::uint64_t most_trimmed = 32 * early_pages::extent_pages;  // 64 MiB: a sync of the undo log each

}  // namespace

private_memory::private_memory(store_parts& parts, std::uint64_t bytes, detail::page_use use)
    : parts_(parts), memory_(std::move(parts.place), parts.home.extents(bytes), use, parts.home.medium()) {
  memory_.explain_faults(lines_for_faults(parts.path, parts.use != store_use::read, fault_teller::notice));
}

private_memory::private_memory(store_parts& parts, epoch_commit& commit, base::background_worker& worker)
    : private_memory(parts, commit.bytes(), detail::page_use::tracked) {
  commit_ = &commit;
  worker_ = &worker;
  // In pages that were not touched a child would see what its parent writes home. Not so a child of a reader,
  // whose lock keeps home from changing.
  memory_.withhold_from_children(line_for_children(parts.path, true));
}

void private_memory::hold() {
  if (memory_.rearms()) return;
  std::unique_lock<std::mutex> no_growth = memory_.hold_growth();
  no_stores_.emplace(memory_, detail::page_run{0, memory_.size() / page_size});
  no_growth_ = std::move(no_growth);
}

void private_memory::let_go() noexcept {
  no_stores_.reset();
  if (no_growth_) no_growth_.unlock();
}

void private_memory::collect(changed_pages& changed, early_pages& early) {
  changed.gather(memory_, {0, memory_.size() / page_size}, early);
}

// Told to the verifier: home loses the content of these pages, and perhaps no thread has touched them.
void private_memory::release(std::span<const detail::page_run> pages) {
  if (verifier_ != nullptr) verifier_->pass_over(pages);
}

void private_memory::punched(std::span<const detail::page_run> pages) {
  for (const detail::page_run& run : pages) memory_.discard(run);
}

void private_memory::settle(std::span<const detail::file_extent> home,
                            std::span<const detail::page_run> pages) {
  memory_.adopt(home, pages);
}

void private_memory::examine_when_touched(lazy_verifier& verifier) {
  verifier_ = &verifier;
  memory_.examine_when_touched(verifier);
}

void private_memory::take_up(const committed_journal& pending) {
  redo_in_memory(pending, memory_.base());
}

void private_memory::begin_early_writing() {
  memory_.notice_growth(parts_.memory_budget, [this] { watch_memory(); });
  memory_.notice_filled([this](detail::page_run filled) { collapse_later(filled); });
}

void private_memory::trim() {
  const epoch_commit::turn turn = commit_->take_turn();
  reporting("write home early the pages of", parts_.path, [&] {
    const std::uint64_t end = memory_.size() / page_size;
    write_brake none(memory_, [] { return false; });
    for (std::uint64_t first = 0; first < end; first += most_trimmed)
      trim_part({first, std::min(most_trimmed, end - first)}, none);
  });
}

// Threads may write meanwhile. Home must hold the last checkpoint, and no journal but its own may count.
void private_memory::trim_part(detail::page_run part, write_brake& brake) {
  commit_->finish_last();
  const committed_state before = commit_->committed();
  const store_lock::turn no_reader = parts_.lock.take_turn(store_lock::part::home);
  early_writer(parts_, memory_, commit_->early().pages(), before, commit_->last())
      .write(part, commit_->changed(), brake);
}

// ---- what programs copy ----------------------------------------------------------------------------------

bool private_memory::write_through(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes) {
  if (commit_ == nullptr) return false;
  // What is stored to memory is stored in the turn too, as no checkpoint may look at it meanwhile.
  const epoch_commit::turn turn = commit_->take_turn();
  const auto store_to_memory = [&](const std::vector<detail::page_run>& some) {
    copy_to_memory(memory_.base(), pages, some, from, of_bytes);
    return true;
  };
  // A tracker that does not start again would be told of these pages at the next checkpoint only by private
  // copies, which they do not have. And rather a second copy than a wait for the device.
  if (!memory_.rearms() || !commit_->is_last_committed()) return store_to_memory({pages});
  commit_->finish_last();
  const committed_state before = commit_->committed();
  changed_pages& changed = commit_->changed();
  early_pages& early = commit_->early().pages();
  direct_writer writer(parts_, early, before);
  const std::vector<detail::page_run> direct = writer.writable(pages);
  if (direct.empty()) return store_to_memory({pages});
  parts_.home.sync_names();
  commit_->early().extend((pages.first + pages.count) * page_size);
  if (verifier_ != nullptr) verifier_->pass_over(direct);
  for (const detail::page_run& run : direct) {
    // What the tracker has to report of them is of what they held before. As long as they count as stored to,
    // the next checkpoint writes what memory has over whatever a failure leaves at home.
    changed.gather(memory_, run, early);
    changed.add({run}, early);
    const std::uint64_t at = run.first - pages.first;
    writer.write(run, from + at * page_size, of_bytes + at);
    memory_.show_written(run, parts_.home.extents(parts_.home.bytes()));
    changed.settle({run});
    writer.settle();
    has_unsynced_ = true;
  }
  return store_to_memory(detail::subtract({pages}, direct));
}

void private_memory::settle_written(detail::page_run) {
  if (!has_unsynced_ || commit_->is_prepared_here()) return;
  const epoch_commit::turn turn = commit_->take_turn();
  if (!has_unsynced_) return;
  // Its end is that of a checkpoint that has synced home too.
  commit_->finish_last();
  if (!commit_->early().pages().empty()) commit_->early().sync();
  has_unsynced_ = false;
}

bool private_memory::read_through(detail::page_run pages, std::byte* to) {
  settle_written(pages);
  memory_.copy_out(pages, to);
  return true;
}

bool private_memory::read_scattered(std::span<const detail::page_run> pages, std::span<std::byte* const> to) {
  for (const detail::page_run& run : pages) settle_written(run);
  memory_.copy_out(pages, to);
  return true;
}

// Called by a thread that makes the segment grow.
void private_memory::watch_memory() noexcept {
  try {
    watch_ = std::make_unique<memory_watch>(
        parts_.memory_budget, [this](const memory_watch& watch) { return give_up_pages(watch); });
  } catch (const std::exception&) {
    // The system refuses a thread. Then memory is not watched.
  }
}

bool private_memory::give_up_pages(const memory_watch& watch) noexcept {
  try {
    const epoch_commit::turn turn = commit_->take_turn();
    const std::uint64_t share = parts_.memory_budget / 16 / page_size / early_pages::extent_pages;
    const std::uint64_t pages =
        std::clamp<std::uint64_t>(share * early_pages::extent_pages, early_pages::extent_pages, most_trimmed);
    write_brake brake(memory_, [&watch] { return watch.is_exhausted(); });
    // Once writers are held this goes on until there is room again: they would fill the room that one part
    // gives.
    do {
      const std::uint64_t end = memory_.size() / page_size;
      if (next_trimmed_ >= end) next_trimmed_ = 0;
      brake.check();
      trim_part({next_trimmed_, std::min(pages, end - next_trimmed_)}, brake);
      next_trimmed_ += pages;
      if (next_trimmed_ >= end) return true;
    } while (brake.is_on() && watch.is_wanted());
    return false;
  } catch (const std::exception&) {
    // The next checkpoint will meet the same failure, and report it.
    return true;
  }
}

// Scans of memory in huge pages are a fifth faster. But a huge page is cleared as a whole at its first touch,
// which costs the more, the less of it is used; so small pages are made into huge ones later.
void private_memory::collapse_later(detail::page_run filled) noexcept {
  try {
    worker_->post(
        [this, filled] { memory_.collapse_dense(filled, [this] { return !worker_->is_awaited(); }); });
  } catch (const std::exception&) {
    // The pages stay small.
  }
}

}  // namespace perdure::store
