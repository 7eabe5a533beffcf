// The stores with atomic checkpoints: of a private mapping, or of one that pages come into and leave.
// DESIGN.md section 4 is their specification and docs/durability.md the argument why it holds.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <optional>

#include "pager/spill_file.hpp"
#include "segment/page_runs.hpp"
#include "segment/private_segment.hpp"
#include "store/commit/background_worker.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/file/checked_block.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/checkpoint_request.hpp"
#include "store/commit/early_pages.hpp"
#include "store/backing/early_writer.hpp"
#include "store/file/failure.hpp"
#include "store/backing/forked_child.hpp"
#include "store/file/journal_image.hpp"
#include "store/commit/journaled_pages.hpp"
#include "store/offline/kept_epochs.hpp"
#include "store/backing/lazy_verifier.hpp"
#include "store/backing/memory_watch.hpp"
#include "store/backing/paged_segment.hpp"
#include "store/commit/redo.hpp"
#include "store/commit/slot_writer.hpp"
#include "store/offline/store_copy.hpp"
#include "store/file/store_directory.hpp"
#include "store/commit/store_parts.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure {

namespace {

using layout::entry_kind;
using layout::journal_entry;

constexpr std::uint64_t most_trimmed = 32 * early_pages::extent_pages;  // 64 MiB: a sync of the undo log each

std::uint64_t carried_in(const std::vector<journal_entry>& index) {
  return static_cast<std::uint64_t>(std::count_if(
      index.begin(), index.end(), [](const journal_entry& entry) { return entry.carried != 0; }));
}

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

// Pages that leave memory, as the pager hands them over.
using leaving_run = pager::detail::page_run;

class journaled_store final : public datastore, private page_writer {
 public:
  explicit journaled_store(store_parts parts);
  ~journaled_store() override { shut(); }

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
  pager::pin pin(const void* address, std::size_t bytes, pager::pin_for use) override;
  void prefetch(const void* address, std::size_t bytes) override;
  std::optional<pager::statistics> paging() const override {
    if (!paged_) return std::nullopt;
    return paged_->pages().statistics();
  }

 private:
  // While it lives stores to changed pages of a paged segment wait, and the pages stay in memory.
  class held_pages {
   public:
    explicit held_pages(journaled_store& store) : store_(store) {}
    held_pages(const held_pages&) = delete;
    held_pages& operator=(const held_pages&) = delete;
    ~held_pages() { release(false); }
    /// All have been written.
    void settle() noexcept { release(true); }

   private:
    void release(bool are_written) noexcept;
    journaled_store& store_;
    bool is_over_ = false;
  };

  // Pages of a paged segment that leave memory before the checkpoint that will need them.
  int begin() noexcept override;
  void end() noexcept override { control_.unlock(); }
  bool goes_to_journal(std::uint64_t page) noexcept override;
  void write(std::span<leaving_run> runs, void (*failed)(leaving_run&, int)) noexcept override;
  void write(const leaving_run& one, std::optional<slot_writer>& slots);
  void write_home(page_run pages, const std::byte* from);
  void empty_home(page_run pages);
  void empty_home(const std::vector<journal_entry>& index);

  void open_memory(page_use use, bool will_be_changed);
  void leave_in_journal(const committed_journal& pending);
  void examine_when_touched();
  void extend_home(std::uint64_t bytes);
  bool rearms() const noexcept { return paged_ || private_->rearms(); }
  void require_own() const;
  void check_may_write() const;
  void require_no_lost_pages() const;
  void finish_apply();
  void clear_away_failed_attempt();
  void write_settled_again();
  void gather(std::span<const page_run> released);
  committed_state committed();
  void trim_part(page_run part, write_brake& brake);
  void watch_memory() noexcept;
  bool give_up_pages(const memory_watch& watch) noexcept;
  void collapse_later(page_run filled) noexcept;
  void make_room(const checkpoint_plan& plan, std::uint64_t bytes);
  void write_fresh(std::vector<journal_entry>& index);
  void write_overwrites(std::vector<journal_entry>& index, journal& to);
  void note_zeros(const std::vector<journal_entry>& index);
  pending_checkpoint launch(std::span<const page_run> released, std::string_view label);
  pending_checkpoint depart(held_pages& held);
  void copy_out();
  void sync_home() noexcept;
  void commit_and_apply() noexcept;
  void commit();
  void take_back() noexcept;
  void apply(table_use at_least = table_use::keep_in_journal);
  void apply_in_turn(table_use at_least);
  void know_home() noexcept;
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
  // Of a paged store: what of the running epoch is in its journal, and pages of the last that are not home.
  std::optional<journaled_pages> journaled_;
  std::vector<journaled_pages::number> in_last_journal_;
  // One of the two.
  std::unique_ptr<private_segment> private_;
  std::unique_ptr<paged_segment> paged_;
  segment* memory_ = nullptr;
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
  std::optional<store_lock::turn> committing_;  // until it is known whether the journal counts
  std::vector<page_run> spent_tail_;

  std::uint64_t next_trimmed_ = 0;  // page; where memory is looked for next
  std::unique_ptr<memory_watch> watch_;
};

journaled_store::journaled_store(store_parts parts)
    : path_(parts.path), writable_(parts.writable), owner_(::getpid()), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  epoch_ = super.epoch;
  bytes_ = super.segment_bytes;
  std::optional<committed_journal> pending;
  if (!writable_ || parts_->is_redo_pending) {
    // A reader cannot redo at home what a dead writer committed last, nor a writer without room there; they
    // do so in their own memory.
    pending = find_committed(parts_->journals, super, parts_->last_committed);
    if (pending) {
      epoch_ = pending->header.epoch;
      bytes_ = pending->header.segment_bytes;
      parts_->home.require(bytes_);
    }
  }
  const page_use use = writable_                 ? page_use::tracked
                       : parts_->private_changes ? page_use::dropped
                                                 : page_use::none;
  // What was written home early belongs to no checkpoint, if none came after it.
  std::vector<undo_log::batch> saved;
  if (!writable_) saved = parts_->undo.find(epoch_, bytes_);
  open_memory(use, pending || !saved.empty());
  const bool has_checksums = (super.flags & layout::flag_checksums_stale) == 0;
  if (parts_->verify_lazily && has_checksums) verifier_ = std::make_unique<lazy_verifier>(*parts_, bytes_);
  if (writable_) {
    if (pending && paged_) leave_in_journal(*pending);
    if (pending && private_) redo_in_memory(*pending, memory_->base());
    if (verifier_ && pending) verifier_->know(*pending);
    if (verifier_) examine_when_touched();
    unapplied_ = std::move(pending);
    if (private_) private_->notice_growth(parts_->memory_budget, [this] { watch_memory(); });
    if (private_) private_->notice_filled([this](page_run filled) { collapse_later(filled); });
    parts_->lock.admit_readers();
    return;
  }
  undo_in_memory(saved, memory_->base());
  if (pending) redo_in_memory(*pending, memory_->base());
  if (verifier_ && pending) verifier_->know(*pending);
  if (verifier_) verifier_->know(saved);
  if (use == page_use::none) private_ ? private_->seal() : paged_->seal();
  if (verifier_) examine_when_touched();
}

void journaled_store::open_memory(page_use use, bool will_be_changed) {
  if (!parts_->paged) {
    private_ = std::make_unique<private_segment>(std::move(parts_->place), parts_->home.extents(bytes_), use,
                                                 parts_->home.medium());
    memory_ = private_.get();
    tracker_ = private_->tracker();
    // Of pages that were not touched a child would see what its parent writes home. A reader's lock keeps
    // that from changing.
    if (writable_) memory_->withhold_from_children(line_for_children(path_, true));
    return;
  }
  const layout::super_slot& super = parts_->super.now();
  std::unique_ptr<paged_home> home;
  if (writable_) {
    page_writer& writer = *this;
    journaled_.emplace(super.capacity / page_size, (epoch_ + 1) & 1);
    home = std::make_unique<paged_home>(path_.string(), super, parts_->home, *journaled_, parts_->journals,
                                        writer);
  } else {
    if (use == page_use::none && will_be_changed) use = page_use::dropped;
    os::file spill;
    if (use == page_use::dropped) spill = pager::detail::make_spill_file({}, path_);
    home = std::make_unique<paged_home>(path_.string(), super, parts_->home, std::move(spill));
  }
  paged_ = std::make_unique<paged_segment>(std::move(parts_->place), std::move(home), bytes_,
                                           parts_->memory_budget, use);
  memory_ = paged_.get();
  memory_->withhold_from_children(line_for_children(path_, writable_));
  tracker_ = "pager";
}

// As if this process had committed it.
void journaled_store::leave_in_journal(const committed_journal& pending) {
  const auto leave = [this](std::uint64_t page, std::uint64_t slot, std::uint32_t checksum) {
    const auto number = static_cast<journaled_pages::number>(page);
    journaled_->put_before(page, static_cast<journaled_pages::number>(slot), checksum);
    paged_->pages().spill(number);
    in_last_journal_.push_back(number);
  };
  for (const journal_entry& entry : pending.index) {
    if (entry.carried != 0) continue;
    if (entry.kind == entry_kind::overwrite)
      leave(entry.page, entry.slot, static_cast<std::uint32_t>(entry.value));
    if (entry.kind == entry_kind::zero)
      for (std::uint64_t page = entry.page; page < entry.page + entry.value; ++page) leave(page, 0, 0);
  }
}

void journaled_store::examine_when_touched() {
  if (private_) private_->examine_when_touched(*verifier_);
  if (paged_) paged_->examine_when_touched(*verifier_);
}

// Before any lock: in a forked child it may be held by a thread that does not exist.
void journaled_store::require_own() const {
  if (!writable_ || owner_ == ::getpid()) return;
  refuse_child(path_);
}

void journaled_store::check_may_write() const {
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (!writable_) throw error(errc::read_only, path_.string() + " is open for reading: open it for writing");
}

// The program was told by a SIGBUS, and may have gone on.
void journaled_store::require_no_lost_pages() const {
  if (!paged_ || !paged_->home().has_lost_pages()) return;
  throw error(errc::io,
              "pages moved out of memory were lost by the device: reopen the store to go on from its "
              "last checkpoint");
}

pending_checkpoint journaled_store::launch(std::span<const page_run> released, std::string_view label) {
  check_may_write();
  require_label(label);
  const bool keep = parts_->keep_last != 0 && !label.empty();
  return reporting("checkpoint", path_, [&] {
    // With one checkpoint applied before the next begins, no older journal can hold a page that is
    // written home in place here; that is what makes the fresh writes below safe.
    require_no_lost_pages();
    finish_apply();
    clear_away_failed_attempt();
    if (keep) require_block_sharing(parts_->directory);
    // Else what is stored until the private copies are dropped would go with them.
    std::unique_lock<std::mutex> no_growth;
    std::optional<write_pause> no_stores;
    if (!rearms()) {
      no_growth = private_->hold_growth();
      no_stores.emplace(*private_, page_run{0, memory_->size() / page_size});
    }
    held_pages held(*this);
    gather(released);
    const std::uint64_t bytes = memory_->size();
    const committed_state before = committed();
    checkpoint_plan plan = plan_checkpoint(memory_->base(), changed_.to_write(), changed_.released(), early_,
                                           journaled_ ? &*journaled_ : nullptr, before);
    if (plan.index.empty() && bytes == bytes_ && label.empty()) {
      held.settle();
      changed_.clear();
      return pending_checkpoint::done(epoch_);
    }
    if (carrying_) carry(carrying_->index, plan.index);
    flight_.emplace(checkpoint_flight{
        epoch_ + 1, bytes, std::move(plan), std::string(label), keep, {}, {}, std::move(changed_)});
    changed_.clear();
    return depart(held);
  });
}

// The part for which the program must be quiet: every page of the flight is copied to the kernel. The worker
// does the rest.
pending_checkpoint journaled_store::depart(held_pages& held) {
  const std::uint64_t epoch = flight_->epoch;
  pending_checkpoint handle(flight_->outcome.get_future().share());
  std::vector<page_run> settled;
  try {
    copy_out();
    held.settle();
    if (rearms()) {
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
  if (rearms()) return handle;
  worker_->wait();
  const bool is_home = epoch_ == epoch && !unapplied_;
  try {
    if (is_home) private_->adopt(parts_->home.extents(bytes_), settled);
  } catch (const std::exception&) {
    // No mapping to be had: the pages keep their private copies, and are written again next time.
  }
  return handle;
}

void journaled_store::snapshot(const std::filesystem::path& to) {
  require_own();
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (writable_) check_may_write();
  if (parts_->shares_blocks_with_writer) {
    throw error(errc::unsupported,
                path_.string() +
                    " was open for writing when this reader opened it: use datastore::copy, "
                    "which copies its last checkpoint");
  }
  reporting("take a snapshot of", path_, [&] {
    // What is home then stays as it is while the lock is held: the program writes to private pages only. What
    // was written there early is undone in the copy.
    if (writable_) {
      finish_apply();
      write_table();
    }
    copy_options options;
    options.epoch = epoch_;
    options.journals = writable_                         ? journals_to_copy::none
                       : parts_->lock.is_beside_writer() ? journals_to_copy::last
                                                         : journals_to_copy::both;
    options.writable = writable_;
    options.with_undo = !early_.empty();
    copy_store(parts_->directory, parts_->super.now(), normalized_store_path(to), options);
  });
}

// Waits for the last checkpoint's pages to be home, and tries again if that failed.
void journaled_store::finish_apply() {
  worker_->wait();
  if (unapplied_) apply();
}

void journaled_store::clear_away_failed_attempt() {
  for (std::size_t parity = 0; parity < suspect_.size(); ++parity) {
    if (!suspect_[parity]) continue;
    std::vector<journal::kept_page> keep;
    if (journaled_) {
      for (const journaled_pages::record& one : journaled_->records())
        if (one.checksum != 0) keep.push_back({one.page, one.slot, one.checksum});
    }
    parts_->journals[parity].replace(keep);
    if (paged_) paged_->home().journal_replaced(static_cast<unsigned>(parity), parts_->journals[parity]);
    suspect_[parity] = false;
  }
  committing_.reset();
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
void journaled_store::write_settled_again() {
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

void journaled_store::gather(std::span<const page_run> released) {
  const std::uint64_t pages = memory_->size() / page_size;
  const std::vector<page_run> now = sound_released(released, pages, path_);
  // Home loses what they held, and nobody need have touched them.
  if (verifier_) verifier_->pass_over(now);
  if (private_) {
    changed_.gather(*private_, {0, pages}, early_);
  } else {
    std::vector<page_run> stored_to;
    for (const auto& run : paged_->pages().hold_dirty()) stored_to.push_back({run.first, run.count});
    normalize(stored_to);
    changed_.add(stored_to, early_);
    for (const page_run& run : now) journaled_->erase(run);
  }
  changed_.release(now, early_);
}

void journaled_store::held_pages::release(bool are_written) noexcept {
  if (std::exchange(is_over_, true) || !store_.paged_) return;
  store_.paged_->pages().release_held(
      are_written, [this](pager::detail::page_number page) { return !store_.journaled_->is_home(page); });
  // From now on the segment knows again.
  store_.changed_.forget_dirty();
  if (store_.flight_) store_.flight_->changed.forget_dirty();
}

committed_state journaled_store::committed() {
  const bool stale = (parts_->super.now().flags & layout::flag_checksums_stale) != 0;
  return {bytes_ / page_size, parts_->checksums, stale};
}

// Takes what space can be taken ahead, so that a full disk fails the checkpoint and not, after the commit,
// its application. Fresh pages and the journal are written before the commit anyway.
void journaled_store::make_room(const checkpoint_plan& plan, std::uint64_t bytes) {
  extend_home(bytes);
  for (const page_run& run : plan.holes) parts_->home.reserve_space(run);
  parts_->checksums.reserve_space(plan.touched);
}

void journaled_store::extend_home(std::uint64_t bytes) {
  parts_->home.extend(bytes);
  if (paged_) paged_->home().home_extended();
}

// From a copy: a thread that stores to a page meanwhile must not make it contradict its checksum.
void journaled_store::write_fresh(std::vector<journal_entry>& index) {
  const std::byte* const base = memory_->base();
  const auto copied = std::make_unique_for_overwrite<std::byte[]>(batch_pages * page_size);
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
      index[i].value =
          copy_page(index[i].page, copied.get() + count * page_size, base + index[i].page * page_size);
      ++count;
      ++i;
    }
    // Should the checkpoint fail, home has other bytes there than the one before left.
    for (std::uint64_t page = std::max(first, bytes_ / page_size); !paged_ && page < first + count; ++page) {
      if (were_touched && early_.is_touched(page)) continue;
      if (!spent_tail_.empty() && spent_tail_.back().first + spent_tail_.back().count == page) {
        ++spent_tail_.back().count;
      } else {
        spent_tail_.push_back({page, 1});
      }
    }
    early_.touch({first, count});
    parts_->home.write(first, count, copied.get());
    // Of a paged segment the pages may leave memory then: they must be found again should the checkpoint
    // fail.
    if (!paged_) continue;
    for (std::size_t k = i - count; k < i; ++k) {
      journaled_->put_home(index[k].page, index[k].value);
      early_.settle(index[k].page, index[k].value);
    }
  }
}

void journaled_store::write_overwrites(std::vector<journal_entry>& index, journal& to) {
  const std::byte* const base = memory_->base();
  slot_writer slots(to, journaled_ ? &*journaled_ : nullptr);
  for (journal_entry& entry : index) {
    if (entry.kind != entry_kind::overwrite || entry.value != 0) continue;
    const slot_writer::place place = slots.add(entry.page, base + entry.page * page_size);
    entry.value = place.checksum;
    entry.slot = place.slot;
  }
  slots.flush();
}

// Until they are punched home, nobody must read there what they were.
void journaled_store::note_zeros(const std::vector<journal_entry>& index) {
  for (const journal_entry& entry : index) {
    if (entry.kind != entry_kind::zero || entry.carried != 0) continue;
    for (std::uint64_t page = entry.page; page < entry.page + entry.value; ++page) journaled_->put_zero(page);
  }
}

void journaled_store::copy_out() {
  checkpoint_flight& now = *flight_;
  parts_->home.sync_names();
  if (paged_) empty_home(now.plan.index);
  make_room(now.plan, now.bytes);
  const bool home_changed = now.plan.fresh != 0 || !now.plan.holes.empty() || now.bytes != bytes_ ||
                            parts_->home.has_unsynced_names();
  if (now.plan.fresh != 0) write_fresh(now.plan.index);
  // Beside the journal's writing.
  if (home_changed) worker_->post([this] { sync_home(); });
  const unsigned parity = now.epoch & 1;
  // Of a paged segment it has pages that are nowhere else, and is not given up before it must be.
  if (!paged_) suspect_[parity] = true;
  write_overwrites(now.plan.index, parts_->journals[parity]);
  if (paged_) note_zeros(now.plan.index);
}

void journaled_store::sync_home() noexcept {
  early_unsure_ = true;
  try {
    parts_->home.sync();
    early_unsure_ = false;
  } catch (...) {
    flight_->home_failure = std::current_exception();
  }
}

// Run by the worker, like what it calls.
void journaled_store::commit_and_apply() noexcept {
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

void journaled_store::commit() {
  checkpoint_flight& now = *flight_;
  if (now.home_failure) std::rethrow_exception(now.home_failure);
  // No reader must see a checkpoint that fails after all.
  committing_.emplace(parts_->lock.take_turn(store_lock::part::commit));
  const unsigned parity = now.epoch & 1;
  journal& to = parts_->journals[parity];
  std::vector<journaled_pages::number> journaled;
  if (journaled_) journaled = journaled_->pages();
  suspect_[parity] = true;
  const std::uint64_t slots = journaled_ ? journaled_->slots() : now.plan.overwrites;
  const layout::journal_header header =
      to.commit(now.epoch, now.bytes, now.plan.index, slots, now.label, memory_->base());
  suspect_[parity] = false;
  committing_.reset();
  if (journaled_) journaled_->commit();
  in_last_journal_ = std::move(journaled);
  early_.clear();
  spent_tail_.clear();
  bytes_ = now.bytes;
  unapplied_.emplace(committed_journal{&to, header, std::move(now.plan.index)});
  epoch_ = now.epoch;
  flight_.reset();
}

// What a flight that failed was to make durable is to be gathered again.
void journaled_store::take_back() noexcept {
  changed_ = std::move(flight_->changed);
  flight_.reset();
  try {
    clear_away_failed_attempt();
  } catch (const std::exception&) {
    // The next checkpoint tries again, and goes no further if it cannot.
  }
}

// Brings the committed journal home. Run by the worker, or by a checkpoint that found it not done.
void journaled_store::apply(table_use at_least) {
  const store_lock::turn turn = parts_->lock.take_turn(store_lock::part::home);
  apply_in_turn(at_least);
}

void journaled_store::apply_in_turn(table_use at_least) {
  // After a sync that failed the pages are written once more.
  if (!std::exchange(is_redone_, false)) redo_at_home(*unapplied_, parts_->home, parts_->checksums);
  const table_use use = is_table_due() ? table_use::write : at_least;
  // A sync that fails here is the one that would have told of pages written early.
  const bool was_unsure = std::exchange(early_unsure_, true);
  settle_redo(*unapplied_, parts_->home, parts_->checksums, parts_->super, parts_->log, use);
  early_unsure_ = was_unsure;
  know_home();
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

// The last checkpoint's pages are read there from now on.
void journaled_store::know_home() noexcept {
  if (in_last_journal_.empty()) return;
  journaled_->settle(in_last_journal_,
                     [this](journaled_pages::number page) { paged_->pages().unspill(page); });
  in_last_journal_.clear();
  // Its journal may now be written over.
  paged_->home().await_journal_readers();
}

// Once carrying has added up to the price of writing: so at most twice is paid of what was necessary.
bool journaled_store::is_table_due() const {
  if (unapplied_->header.segment_bytes != parts_->super.now().segment_bytes) return true;
  const std::uint64_t next = unapplied_->index.size() * sizeof(journal_entry);
  return carried_bytes_ + next >= parts_->checksums.changed_table_pages() * layout::block;
}

// After that the files tell by themselves what is home. No checkpoint may be on its way.
void journaled_store::write_table() {
  if (!carrying_) return;
  unapplied_ = std::exchange(carrying_, std::nullopt);
  is_redone_ = true;
  apply(table_use::write);
}

void journaled_store::apply_quietly(table_use at_least) noexcept {
  apply_failure_ = nullptr;
  try {
    if (rearms() || at_least == table_use::write) return apply(at_least);
    // The program is held up until this has been tried, and is not to be held up by readers.
    const std::optional<store_lock::turn> turn = parts_->lock.try_turn(store_lock::part::home);
    if (turn) apply_in_turn(at_least);
  } catch (...) {
    // The journal has it all, and the next checkpoint applies it.
    apply_failure_ = std::current_exception();
  }
}

void journaled_store::trim() {
  require_own();
  if (paged_ && writable_) {
    {
      const std::scoped_lock lock(control_);
      check_may_write();
      reporting("write the changed pages of", path_, [&] {
        // Else the pager would meet it, and know no more than an errno.
        require_no_lost_pages();
        finish_apply();
        clear_away_failed_attempt();
      });
    }
    return reporting("write the changed pages of", path_, [&] { paged_->pages().drain(); });
  }
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (!writable_) return;
  check_may_write();
  reporting("write home early the pages of", path_, [&] {
    const std::uint64_t end = memory_->size() / page_size;
    write_brake none(*private_, [] { return false; });
    for (std::uint64_t first = 0; first < end; first += most_trimmed)
      trim_part({first, std::min(most_trimmed, end - first)}, none);
  });
}

int journaled_store::begin() noexcept {
  control_.lock();
  const int failed = errno_of([this] {
    check_may_write();
    // Home must hold the last checkpoint and no journal but its own may count.
    finish_apply();
    clear_away_failed_attempt();
    parts_->home.sync_names();
  });
  if (failed != 0) control_.unlock();
  return failed;
}

bool journaled_store::goes_to_journal(std::uint64_t page) noexcept {
  try {
    return !early_.is_touched(page) && committed().needs(page);
  } catch (const std::exception&) {
    // The table is damaged, which the checkpoint will say. Until then nothing must be lost.
    return true;
  }
}

void journaled_store::write(std::span<leaving_run> runs, void (*failed)(leaving_run&, int)) noexcept {
  int journal_failed = 0;
  std::optional<slot_writer> slots;
  for (leaving_run& one : runs) {
    const int run_failed = errno_of([&] {
      if (one.spilled && !slots) slots.emplace(parts_->journals[(epoch_ + 1) & 1], &*journaled_);
      write(one, slots);
    });
    if (run_failed == 0) continue;
    if (one.spilled) journal_failed = run_failed;
    failed(one, run_failed);
  }
  // Pages of many runs are written together, so none of them is known to be there before that.
  if (journal_failed == 0 && slots) journal_failed = errno_of([&] { slots->flush(); });
  if (journal_failed == 0) return;
  for (leaving_run& one : runs)
    if (one.spilled) failed(one, journal_failed);
}

void journaled_store::write(const leaving_run& one, std::optional<slot_writer>& slots) {
  const page_run pages{one.first, one.count};
  // Released by a checkpoint that failed, and in use again.
  changed_.add({pages}, early_);
  changed_.forget_dirty();
  const auto is_empty = [&](std::uint64_t k) { return is_zero(one.memory + k * page_size, page_size); };
  for (std::uint64_t i = 0; i < pages.count;) {
    const bool empty = is_empty(i);
    std::uint64_t end = i + 1;
    while (end < pages.count && is_empty(end) == empty) ++end;
    const page_run part{pages.first + i, end - i};
    if (empty) {
      if (!one.spilled) empty_home(part);
      for (std::uint64_t page = part.first; page < part.first + part.count; ++page)
        journaled_->put_zero(page);
    } else if (one.spilled) {
      for (; i < end; ++i) slots->add(pages.first + i, one.memory + i * page_size);
    } else {
      write_home(part, one.memory + i * page_size);
    }
    i = end;
  }
}

void journaled_store::write_home(page_run pages, const std::byte* from) {
  extend_home((pages.first + pages.count) * page_size);
  // Before the write, which may fail half way.
  early_.touch(pages);
  parts_->home.write(pages.first, pages.count, from);
  for (std::uint64_t i = 0; i < pages.count; ++i) {
    const std::uint32_t checksum = page_checksum(pages.first + i, from + i * page_size);
    journaled_->put_home(pages.first + i, checksum);
    early_.settle(pages.first + i, checksum);
  }
}

// Pages that the last checkpoint does not need read as zero at home from now on.
void journaled_store::empty_home(page_run pages) {
  extend_home((pages.first + pages.count) * page_size);
  for (std::uint64_t page = pages.first; page < pages.first + pages.count; ++page) {
    // Beyond the last checkpoint it is a hole as it is.
    if (page >= bytes_ / page_size && !early_.is_touched(page)) continue;
    early_.touch({page, 1});
    parts_->home.punch({page, 1});
  }
}

// Pages that left memory for home and are empty by now: their space may be what is wanted.
void journaled_store::empty_home(const std::vector<journal_entry>& index) {
  if (early_.empty()) return;
  for (const journal_entry& entry : index) {
    if (entry.kind != entry_kind::zero || entry.carried != 0) continue;
    std::uint64_t first = entry.page;
    const std::uint64_t end = entry.page + entry.value;
    while (first < end) {
      std::uint64_t stop = first;
      while (stop < end && early_.is_touched(stop)) ++stop;
      if (first < stop) parts_->home.punch({first, stop - first});
      first = stop + 1;
    }
  }
}

// Writers are not quiet meanwhile.
void journaled_store::trim_part(page_run part, write_brake& brake) {
  // Home must hold the last checkpoint and no journal but its own may count.
  finish_apply();
  clear_away_failed_attempt();
  const committed_state before = committed();
  const store_lock::turn turn = parts_->lock.take_turn(store_lock::part::home);
  early_writer(*parts_, *private_, early_, before, epoch_).write(part, changed_, brake);
}

// Called by a thread that makes the segment grow.
void journaled_store::watch_memory() noexcept {
  try {
    watch_ = std::make_unique<memory_watch>(
        parts_->memory_budget, [this](const memory_watch& watch) { return give_up_pages(watch); });
  } catch (const std::exception&) {
    // No thread to be had. Then memory is what it is.
  }
}

// Scans of memory in huge pages are a fifth faster; but one that is cleared at its first touch costs the
// more, the less of it is used.
void journaled_store::collapse_later(page_run filled) noexcept {
  try {
    worker_->post(
        [this, filled] { private_->collapse_dense(filled, [this] { return !worker_->is_awaited(); }); });
  } catch (const std::exception&) {
    // The pages stay small.
  }
}

bool journaled_store::give_up_pages(const memory_watch& watch) noexcept {
  const std::scoped_lock lock(control_);
  if (!open_) return true;
  try {
    const std::uint64_t share = parts_->memory_budget / 16 / page_size / early_pages::extent_pages;
    const std::uint64_t pages =
        std::clamp<std::uint64_t>(share * early_pages::extent_pages, early_pages::extent_pages, most_trimmed);
    write_brake brake(*private_, [&watch] { return watch.is_exhausted(); });
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

void journaled_store::wait_applied() {
  if (!writable_ || owner_ != ::getpid()) return;
  const std::scoped_lock lock(control_);
  if (!open_) return;
  reporting("write home the last checkpoint of", path_, [&] {
    worker_->wait();
    if (!unapplied_) return;
    if (apply_failure_) std::rethrow_exception(apply_failure_);
    apply();
  });
}

pager::pin journaled_store::pin(const void* address, std::size_t bytes, pager::pin_for use) {
  require_own();
  const page_run pages = pages_of(address, bytes);
  if (pages.count == 0) return {};
  // The kernel does not wait for an examination either.
  memory_->require_sound(pages);
  if (!paged_) return {};
  if (use == pager::pin_for::writing && memory_->read_only())
    throw error(errc::read_only, path_.string() + " is open for reading: it cannot be pinned for writing");
  const pager::byte_range range{pages.first * page_size, pages.count * page_size};
  return reporting("pin memory of", path_, [&] {
    paged_->pages().pin(range, use);
    return pager::detail::adopt_pin(paged_->pages(), range);
  });
}

void journaled_store::prefetch(const void* address, std::size_t bytes) {
  require_own();
  const page_run pages = pages_of(address, bytes);
  if (!paged_ || pages.count == 0) return;
  const pager::byte_range range{pages.first * page_size, pages.count * page_size};
  reporting("prefetch", path_, [&] { paged_->pages().prefetch(std::span(&range, 1)); });
}

store_info journaled_store::info() const {
  std::unique_lock lock(control_, std::defer_lock);
  if (!writable_ || owner_ == ::getpid()) lock.lock();
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (owner_ == ::getpid()) worker_->wait();
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = epoch_;
  result.size = bytes_;
  return result;
}

void journaled_store::shut() noexcept {
  if (owner_ != ::getpid()) {
    // In a forked child the threads do not exist, and their locks may be held for ever.
    if (open_) static_cast<void>(worker_.release());
    if (open_) static_cast<void>(watch_.release());
    open_ = false;
    return;
  }
  // These take the lock.
  watch_.reset();
  if (paged_) paged_->pages().stop_threads();
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
  private_.reset();
  paged_.reset();
  verifier_.reset();
  committing_.reset();
  parts_.reset();
}

}  // namespace

std::unique_ptr<datastore> make_journaled_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<journaled_store>(std::move(parts)); });
}

}  // namespace perdure
