// The default store: atomic checkpoints of a private mapping. DESIGN.md section 4 is its specification and
// docs/durability.md the argument why it holds.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <optional>

#include "segment/page_runs.hpp"
#include "segment/private_segment.hpp"
#include "store/background_worker.hpp"
#include "store/carried_entries.hpp"
#include "store/changed_pages.hpp"
#include "store/checked_block.hpp"
#include "store/checkpoint_plan.hpp"
#include "store/early_pages.hpp"
#include "store/early_writer.hpp"
#include "store/failure.hpp"
#include "store/kept_epochs.hpp"
#include "store/lazy_verifier.hpp"
#include "store/memory_watch.hpp"
#include "store/redo.hpp"
#include "store/store_copy.hpp"
#include "store/store_directory.hpp"
#include "store/store_parts.hpp"

namespace perdure {

namespace {

using layout::entry_kind;
using layout::journal_entry;

constexpr std::uint64_t most_trimmed = 32 * early_pages::extent_pages;  // 64 MiB: a sync of the undo log each
constexpr std::size_t batch_pages = 256;  // 1 MiB: stays in the second-level cache between checksum and write

std::uint64_t carried_in(const std::vector<journal_entry>& index) {
  return static_cast<std::uint64_t>(std::count_if(
      index.begin(), index.end(), [](const journal_entry& entry) { return entry.carried != 0; }));
}

/// A checkpoint whose pages are copied, on its way to the device. The worker's while it runs.
struct checkpoint_flight {
  std::uint64_t epoch;
  std::uint64_t bytes;
  checkpoint_plan plan;
  std::string label;
  bool keep;  // a copy of the store as of it
  std::exception_ptr home_failure;
  std::promise<std::uint64_t> outcome;
  // What it settles, to be gathered again if it fails. Last, so that nothing can throw once it is moved in.
  changed_pages changed;
};

class private_store final : public datastore {
 public:
  explicit private_store(store_parts parts);
  ~private_store() override { shut(); }

  segment& memory() noexcept override { return *memory_; }
  void checkpoint(std::span<const page_run> released, std::string_view label) override {
    require_own();
    const std::scoped_lock lock(control_);
    launch(released, label).wait();
  }
  pending_checkpoint checkpoint_async(std::span<const page_run> released, std::string_view label) override {
    require_own();
    const std::scoped_lock lock(control_);
    return launch(released, label);
  }
  void snapshot(const std::filesystem::path& to) override;
  void wait_applied() override;
  void trim() override;
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return epoch_; }
  bool read_only() const noexcept override { return !writable_; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  store_info info() const override;
  std::string tracker() const override { return tracker_; }

 private:
  void require_own() const;
  void check_may_write() const;
  void finish_apply();
  void clear_away_failed_attempt();
  void write_settled_again();
  void gather(std::span<const page_run> released);
  committed_state committed();
  void trim_part(page_run part, write_brake& brake);
  void watch_memory() noexcept;
  bool give_up_pages(const memory_watch& watch) noexcept;
  void make_room(const checkpoint_plan& plan, std::uint64_t bytes);
  void write_fresh(std::vector<journal_entry>& index);
  void write_overwrites(std::vector<journal_entry>& index, journal& to);
  pending_checkpoint launch(std::span<const page_run> released, std::string_view label);
  pending_checkpoint depart();
  void copy_out();
  void sync_home() noexcept;
  void commit_and_apply() noexcept;
  void commit();
  void take_back() noexcept;
  void apply(table_use at_least = table_use::keep_in_journal);
  void apply_quietly(table_use at_least) noexcept;
  bool is_table_due() const;
  void write_table();
  void shut() noexcept;

  std::filesystem::path path_;
  bool writable_;
  int owner_;
  std::string tracker_;
  mutable std::mutex control_;  // one checkpoint, close or info at a time
  bool open_ = true;
  std::optional<store_parts> parts_;
  std::unique_ptr<lazy_verifier> verifier_;
  std::unique_ptr<private_segment> memory_;
  std::unique_ptr<background_worker> worker_ = std::make_unique<background_worker>();

  // Everything from here on is touched by the worker only while it runs, by others only after waiting for it;
  // but the epoch may be read at any time.

  std::atomic<std::uint64_t> epoch_{0};  // committed
  std::uint64_t bytes_ = 0;              // length of the segment at that epoch
  std::optional<checkpoint_flight> flight_;
  // Committed and not yet known to be home; its journal must not be reused.
  std::optional<committed_journal> unapplied_;
  bool is_redone_ = false;  // its pages have been written home, though perhaps not durably
  // Applied, and yet needed until the next one is committed: the file `crc` does not know its entries.
  std::optional<committed_journal> carrying_;
  std::uint64_t carried_bytes_ = 0;  // that journals have carried since the table was written
  std::exception_ptr apply_failure_;

  changed_pages changed_;
  early_pages early_;
  bool early_unsure_ = false;  // a sync of home has failed since they were written

  // Left by a failed checkpoint, to be cleared away before the next: a journal file that may hold a
  // commit nobody was told of, and pages written home beyond the committed length.
  std::array<bool, 2> suspect_{};
  std::vector<page_run> spent_tail_;

  std::uint64_t next_trimmed_ = 0;  // page; where memory is looked for next
  std::unique_ptr<memory_watch> watch_;
};

private_store::private_store(store_parts parts)
    : path_(parts.path), writable_(parts.writable), owner_(::getpid()), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  epoch_ = super.epoch;
  bytes_ = super.segment_bytes;
  if (parts_->redone) {
    unapplied_ = std::move(parts_->redone);
    unapplied_->file = &parts_->journals[unapplied_->header.epoch & 1];
    epoch_ = unapplied_->header.epoch;
    bytes_ = unapplied_->header.segment_bytes;
    is_redone_ = true;
  }
  std::optional<committed_journal> pending;
  if (!writable_) {
    // A reader cannot redo at home what a dead writer committed last; it does so in its own memory.
    pending = find_committed(parts_->journals, super);
    if (pending) {
      epoch_ = pending->header.epoch;
      bytes_ = pending->header.segment_bytes;
      parts_->home.require(bytes_);
    }
  }
  const page_use use = writable_                 ? page_use::tracked
                       : parts_->private_changes ? page_use::dropped
                                                 : page_use::none;
  memory_ = std::make_unique<private_segment>(std::move(parts_->place), parts_->home.extents(bytes_), use,
                                              parts_->home.medium());
  tracker_ = memory_->tracker();
  const bool has_checksums = (super.flags & layout::flag_checksums_stale) == 0;
  if (parts_->verify_lazily && has_checksums) verifier_ = std::make_unique<lazy_verifier>(*parts_, bytes_);
  if (writable_) {
    if (verifier_) memory_->examine_when_touched(*verifier_);
    if (unapplied_) worker_->post([this] { apply_quietly(table_use::write); });
    memory_->notice_growth(parts_->memory_budget, [this] { watch_memory(); });
    return;
  }
  // What was written home early belongs to no checkpoint, if none came after it.
  const std::vector<undo_log::batch> saved = parts_->undo.find(epoch_, bytes_);
  undo_in_memory(saved, memory_->base());
  if (pending) redo_in_memory(*pending, memory_->base());
  if (verifier_ && pending) verifier_->know(*pending);
  if (verifier_) verifier_->know(saved);
  if (use == page_use::none) memory_->seal();
  if (verifier_) memory_->examine_when_touched(*verifier_);
}

// Before any lock: in a forked child it may be held by a thread that does not exist.
void private_store::require_own() const {
  if (!writable_ || owner_ == ::getpid()) return;
  throw error(
      errc::invalid_argument,
      path_.string() + " belongs to the parent process: a forked child has only a copy of its memory");
}

void private_store::check_may_write() const {
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (!writable_) throw error(errc::read_only, path_.string() + " is open for reading: open it for writing");
}

pending_checkpoint private_store::launch(std::span<const page_run> released, std::string_view label) {
  check_may_write();
  if (label.size() > max_label_length) {
    throw error(errc::invalid_argument, "the label of a checkpoint has at most " +
                                            std::to_string(max_label_length) + " bytes, not " +
                                            std::to_string(label.size()));
  }
  const bool keep = parts_->keep_last != 0 && !label.empty();
  return reporting("checkpoint", path_, [&] {
    // With one checkpoint applied before the next begins, no older journal can hold a page that is
    // written home in place here; that is what makes the fresh writes below safe.
    finish_apply();
    clear_away_failed_attempt();
    if (keep) require_block_sharing(parts_->directory);
    gather(released);
    const std::uint64_t bytes = memory_->size();
    const committed_state before = committed();
    checkpoint_plan plan =
        plan_checkpoint(memory_->base(), changed_.to_write(), changed_.released(), early_, before);
    if (plan.index.empty() && bytes == bytes_ && label.empty()) {
      changed_.clear();
      return pending_checkpoint::done(epoch_);
    }
    if (carrying_) carry(carrying_->index, plan.index);
    flight_.emplace(checkpoint_flight{
        epoch_ + 1, bytes, std::move(plan), std::string(label), keep, {}, {}, std::move(changed_)});
    changed_.clear();
    return depart();
  });
}

// The part for which the program must be quiet: every page of the flight is copied to the kernel. The worker
// does the rest.
pending_checkpoint private_store::depart() {
  const std::uint64_t epoch = flight_->epoch;
  pending_checkpoint handle(flight_->outcome.get_future().share());
  std::vector<page_run> settled;
  try {
    copy_out();
    if (memory_->rearms()) {
      // Now, as the program may use these pages again as soon as it goes on.
      for (const page_run& run : flight_->changed.released()) memory_->discard(run);
    } else {
      settled = flight_->changed.dirty();
      const std::vector<page_run>& released = flight_->changed.released();
      settled.insert(settled.end(), released.begin(), released.end());
      normalize(settled);
    }
    worker_->post([this] { commit_and_apply(); });
  } catch (...) {
    worker_->wait();
    // A promise that is given up unkept makes an exception of its own; where memory for that is lacking, its
    // destructor would end the program.
    flight_->outcome.set_exception(std::current_exception());
    take_back();
    throw;
  }
  if (memory_->rearms()) return handle;
  worker_->wait();
  const bool is_home = epoch_ == epoch && !unapplied_;
  try {
    if (is_home) memory_->adopt(parts_->home.extents(bytes_), settled);
  } catch (const std::exception&) {
    // No mapping to be had: the pages keep their private copies, and are written again next time.
  }
  return handle;
}

void private_store::snapshot(const std::filesystem::path& to) {
  require_own();
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (writable_) check_may_write();
  reporting("take a snapshot of", path_, [&] {
    // What is home then stays as it is while the lock is held: the program writes to private pages only. What
    // was written there early is undone in the copy.
    if (writable_) {
      finish_apply();
      write_table();
    }
    copy_options options;
    options.epoch = epoch_;
    options.with_journals = !writable_;
    options.writable = writable_;
    options.with_undo = !early_.empty();
    copy_store(parts_->directory, parts_->super.now(), normalized_store_path(to), options);
  });
}

// Waits for the last checkpoint's pages to be home, and tries again if that failed.
void private_store::finish_apply() {
  worker_->wait();
  if (unapplied_) apply();
}

void private_store::clear_away_failed_attempt() {
  for (std::size_t parity = 0; parity < suspect_.size(); ++parity) {
    if (!suspect_[parity]) continue;
    parts_->journals[parity].replace();
    suspect_[parity] = false;
  }
  if (early_unsure_ && !early_.empty()) write_settled_again();
  early_unsure_ = false;
  // Only now: while the old journal could still count, its fresh pages had to stay. Their space may be what
  // is wanted.
  if (spent_tail_.empty()) return;
  for (const page_run& run : spent_tail_) parts_->home.punch(run);
  // Else a crash might bring them back once later pages, taken to be zero, are committed.
  early_unsure_ = true;
  parts_->home.sync();
  early_unsure_ = false;
  for (const page_run& run : spent_tail_) early_.untouch(run);
  spent_tail_.clear();
}

// After a sync that failed a second one says nothing of what was written before the first.
void private_store::write_settled_again() {
  alignas(64) std::array<std::byte, page_size> bytes;
  early_.for_settled([&](std::uint64_t page, std::uint32_t checksum) {
    parts_->home.read(page, bytes.data());
    if (page_checksum(page, bytes.data()) != checksum) {
      throw error(errc::io, "page " + std::to_string(page) + " of " + path_.string() +
                                ", written home to save memory, was lost by the device: reopen the store to "
                                "go on from its last checkpoint");
    }
    parts_->home.write(page, 1, bytes.data());
  });
}

void private_store::gather(std::span<const page_run> released) {
  const std::uint64_t pages = memory_->size() / page_size;
  std::vector<page_run> now(released.begin(), released.end());
  for (const page_run& run : now) {
    if (run.first > pages || run.count > pages - run.first) {
      throw error(errc::invalid_argument, "released pages lie outside the segment of " + path_.string());
    }
  }
  normalize(now);
  // Home loses what they held, and nobody need have touched them.
  if (verifier_) verifier_->pass_over(now);
  changed_.gather(*memory_, {0, pages}, early_);
  changed_.release(now, early_);
}

committed_state private_store::committed() {
  const bool stale = (parts_->super.now().flags & layout::flag_checksums_stale) != 0;
  return {bytes_ / page_size, parts_->checksums, stale};
}

// Takes what space can be taken ahead, so that a full disk fails the checkpoint and not, after the commit,
// its application. Fresh pages and the journal are written before the commit anyway.
void private_store::make_room(const checkpoint_plan& plan, std::uint64_t bytes) {
  parts_->home.extend(bytes);
  for (const page_run& run : plan.holes) parts_->home.reserve_space(run);
  parts_->checksums.reserve_space(plan.touched);
}

void private_store::write_fresh(std::vector<journal_entry>& index) {
  const std::byte* const base = memory_->base();
  const bool were_touched = !early_.empty();
  for (std::size_t i = 0; i < index.size();) {
    const auto is_to_write = [](const journal_entry& entry) {
      return entry.kind == entry_kind::fresh && entry.value == 0;
    };
    if (!is_to_write(index[i])) {
      ++i;
      continue;
    }
    const std::uint64_t first = index[i].page;
    std::size_t count = 0;
    while (i < index.size() && count < batch_pages && is_to_write(index[i]) &&
           index[i].page == first + count) {
      index[i].value = page_checksum(index[i].page, base + index[i].page * page_size);
      ++count;
      ++i;
    }
    // Should the checkpoint fail, home has other bytes there than the one before left.
    for (std::uint64_t page = std::max(first, bytes_ / page_size); page < first + count; ++page) {
      if (were_touched && early_.is_touched(page)) continue;
      if (!spent_tail_.empty() && spent_tail_.back().first + spent_tail_.back().count == page) {
        ++spent_tail_.back().count;
      } else {
        spent_tail_.push_back({page, 1});
      }
    }
    early_.touch({first, count});
    parts_->home.write(first, count, base + first * page_size);
  }
}

void private_store::write_overwrites(std::vector<journal_entry>& index, journal& to) {
  const std::byte* const base = memory_->base();
  std::vector<std::byte> batch(batch_pages * page_size);
  std::uint64_t written = 0;
  std::size_t count = 0;
  const auto flush = [&] {
    to.write_payload(index.size(), written, count, batch.data());
    written += count;
    count = 0;
  };
  for (journal_entry& entry : index) {
    if (entry.kind != entry_kind::overwrite) continue;
    // Copied and checksummed at once: a store by a thread that should be quiet then changes what is
    // committed, but cannot make the journal look torn.
    entry.value = copy_page(entry.page, batch.data() + count * page_size, base + entry.page * page_size);
    if (++count == batch_pages) flush();
  }
  if (count != 0) flush();
}

void private_store::copy_out() {
  checkpoint_flight& now = *flight_;
  parts_->home.sync_names();
  make_room(now.plan, now.bytes);
  const bool home_changed = now.plan.fresh != 0 || !now.plan.holes.empty() || now.bytes != bytes_ ||
                            parts_->home.has_unsynced_names();
  if (now.plan.fresh != 0) write_fresh(now.plan.index);
  // Beside the journal's writing.
  if (home_changed) worker_->post([this] { sync_home(); });
  const unsigned parity = now.epoch & 1;
  suspect_[parity] = true;
  write_overwrites(now.plan.index, parts_->journals[parity]);
}

void private_store::sync_home() noexcept {
  early_unsure_ = true;
  try {
    parts_->home.sync();
    early_unsure_ = false;
  } catch (...) {
    flight_->home_failure = std::current_exception();
  }
}

// Run by the worker, like what it calls.
void private_store::commit_and_apply() noexcept {
  std::promise<std::uint64_t> outcome = std::move(flight_->outcome);
  const std::uint64_t epoch = flight_->epoch;
  const bool keep = flight_->keep;
  try {
    reporting("checkpoint", path_, [this] { commit(); });
  } catch (...) {
    take_back();
    outcome.set_exception(std::current_exception());
    return;
  }
  if (!keep) outcome.set_value(epoch);
  apply_quietly(keep ? table_use::write : table_use::keep_in_journal);
  if (!keep) return;
  try {
    reporting("keep a copy of the (committed) checkpoint of", path_, [this] {
      if (apply_failure_) std::rethrow_exception(apply_failure_);
      keep_epoch(parts_->directory, parts_->super.now(), parts_->keep_last);
    });
    outcome.set_value(epoch);
  } catch (...) {
    outcome.set_exception(std::current_exception());
  }
}

void private_store::commit() {
  checkpoint_flight& now = *flight_;
  if (now.home_failure) std::rethrow_exception(now.home_failure);
  const unsigned parity = now.epoch & 1;
  journal& to = parts_->journals[parity];
  const layout::journal_header header =
      to.commit(now.epoch, now.bytes, now.plan.index, now.plan.overwrites, now.label);
  suspect_[parity] = false;
  early_.clear();
  spent_tail_.clear();
  bytes_ = now.bytes;
  unapplied_.emplace(committed_journal{&to, header, std::move(now.plan.index)});
  epoch_ = now.epoch;
  flight_.reset();
}

// What a flight that failed was to make durable is to be gathered again.
void private_store::take_back() noexcept {
  changed_ = std::move(flight_->changed);
  flight_.reset();
  try {
    clear_away_failed_attempt();
  } catch (const std::exception&) {
    // The next checkpoint tries again, and goes no further if it cannot.
  }
}

// Brings the committed journal home. Run by the worker, or by a checkpoint that found it not done.
void private_store::apply(table_use at_least) {
  // After a sync that failed the pages are written once more.
  if (!std::exchange(is_redone_, false)) redo_at_home(*unapplied_, parts_->home, parts_->checksums);
  const table_use use = is_table_due() ? table_use::write : at_least;
  settle_redo(*unapplied_, parts_->home, parts_->checksums, parts_->super, parts_->log, use);
  if (use == table_use::write) {
    carrying_.reset();
    carried_bytes_ = 0;
  } else {
    carried_bytes_ += carried_in(unapplied_->index) * sizeof(journal_entry);
    mark_applied(unapplied_->index);
    carrying_ = std::move(unapplied_);
  }
  unapplied_.reset();
  // Only the table was written: what is saved is of this very epoch.
  if (!early_.empty()) return;
  try {
    parts_->undo.clear();
  } catch (const std::system_error&) {
    // It takes space; of a checkpoint that is not the last any more it counts for nothing.
  }
}

// Once carrying has added up to the price of writing: so at most twice is paid of what was necessary.
bool private_store::is_table_due() const {
  if (unapplied_->header.segment_bytes != parts_->super.now().segment_bytes) return true;
  const std::uint64_t next = unapplied_->index.size() * sizeof(journal_entry);
  return carried_bytes_ + next >= parts_->checksums.changed_table_pages() * layout::block;
}

// After that the files tell by themselves what is home. No checkpoint may be on its way.
void private_store::write_table() {
  if (!carrying_) return;
  unapplied_ = std::exchange(carrying_, std::nullopt);
  is_redone_ = true;
  apply(table_use::write);
}

void private_store::apply_quietly(table_use at_least) noexcept {
  apply_failure_ = nullptr;
  try {
    apply(at_least);
  } catch (...) {
    // The journal has it all, and the next checkpoint applies it.
    apply_failure_ = std::current_exception();
  }
}

void private_store::trim() {
  require_own();
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (!writable_) return;
  check_may_write();
  reporting("write home early the pages of", path_, [&] {
    const std::uint64_t end = memory_->size() / page_size;
    write_brake none(*memory_, [] { return false; });
    for (std::uint64_t first = 0; first < end; first += most_trimmed)
      trim_part({first, std::min(most_trimmed, end - first)}, none);
  });
}

// Writers are not quiet meanwhile.
void private_store::trim_part(page_run part, write_brake& brake) {
  // Home must hold the last checkpoint and no journal but its own may count.
  finish_apply();
  clear_away_failed_attempt();
  const committed_state before = committed();
  early_writer(*parts_, *memory_, early_, before, epoch_).write(part, changed_, brake);
}

// Called by a thread that makes the segment grow.
void private_store::watch_memory() noexcept {
  // In a forked child the files and the tracker are the parent's.
  if (owner_ != ::getpid()) return;
  try {
    watch_ = std::make_unique<memory_watch>(
        parts_->memory_budget, [this](const memory_watch& watch) { return give_up_pages(watch); });
  } catch (const std::exception&) {
    // No thread to be had. Then memory is what it is.
  }
}

bool private_store::give_up_pages(const memory_watch& watch) noexcept {
  const std::scoped_lock lock(control_);
  if (!open_) return true;
  try {
    const std::uint64_t share = parts_->memory_budget / 16 / page_size / early_pages::extent_pages;
    const std::uint64_t pages =
        std::clamp<std::uint64_t>(share * early_pages::extent_pages, early_pages::extent_pages, most_trimmed);
    write_brake brake(*memory_, [&watch] { return watch.is_exhausted(); });
    // Once writers are held, until there is room again: they would fill what one part gives.
    do {
      const std::uint64_t end = memory_->size() / page_size;
      if (next_trimmed_ >= end) next_trimmed_ = 0;
      brake.check();
      trim_part({next_trimmed_, std::min(pages, end - next_trimmed_)}, brake);
      next_trimmed_ += pages;
      if (next_trimmed_ >= end) return true;
    } while (brake.is_on() && watch.is_wanted());
    return false;
  } catch (const std::exception&) {
    // The next checkpoint will meet it too, and say so.
    return true;
  }
}

void private_store::wait_applied() {
  if (!writable_ || owner_ != ::getpid()) return;
  const std::scoped_lock lock(control_);
  if (!open_) return;
  reporting("write home the last checkpoint of", path_, [&] {
    worker_->wait();
    if (unapplied_ && apply_failure_) std::rethrow_exception(apply_failure_);
  });
}

store_info private_store::info() const {
  std::unique_lock lock(control_, std::defer_lock);
  if (!writable_ || owner_ == ::getpid()) lock.lock();
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (owner_ == ::getpid()) worker_->wait();
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = epoch_;
  result.size = bytes_;
  return result;
}

void private_store::shut() noexcept {
  if (owner_ != ::getpid()) {
    // In a forked child the threads do not exist, and their locks may be held for ever.
    if (open_) static_cast<void>(worker_.release());
    if (open_) static_cast<void>(watch_.release());
    open_ = false;
    return;
  }
  watch_.reset();  // it takes the lock
  const std::scoped_lock lock(control_);
  if (!open_) return;
  open_ = false;
  worker_->wait();
  worker_.reset();
  try {
    if (!unapplied_) write_table();
  } catch (const std::exception&) {
    // The journal has it.
  }
  memory_.reset();
  verifier_.reset();
  parts_.reset();
}

}  // namespace

std::unique_ptr<datastore> make_private_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<private_store>(std::move(parts)); });
}

}  // namespace perdure
