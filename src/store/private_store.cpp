// The default store: atomic checkpoints of a private mapping. DESIGN.md section 4 is its specification and
// docs/durability.md the argument why it holds.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>

#include "segment/page_runs.hpp"
#include "segment/private_segment.hpp"
#include "store/background_worker.hpp"
#include "store/checked_block.hpp"
#include "store/failure.hpp"
#include "store/kept_epochs.hpp"
#include "store/redo.hpp"
#include "store/store_copy.hpp"
#include "store/store_directory.hpp"
#include "store/store_parts.hpp"

namespace perdure {

namespace {

using layout::entry_kind;
using layout::journal_entry;

constexpr std::size_t batch_pages = 256;  // 1 MiB: stays in the second-level cache between checksum and write

bool is_zero_page(const std::byte* page) {
  std::uint64_t head;
  std::memcpy(&head, page, sizeof head);
  return head == 0 && std::memcmp(page, page + sizeof head, page_size - sizeof head) == 0;
}

/// What one checkpoint will write, decided before anything is written.
struct checkpoint_plan {
  std::vector<journal_entry> index;  // sorted by page
  std::size_t fresh = 0;             // entries of that kind
  std::size_t overwrites = 0;
  std::vector<page_run> holes;    // overwritten pages that have no disk space at home yet
  std::vector<page_run> touched;  // pages whose table entry will change

  void add(std::uint64_t page, std::uint32_t value, entry_kind kind) {
    const bool run = kind == entry_kind::zero || kind == entry_kind::released;
    if (run && !index.empty() && index.back().kind == kind &&
        index.back().page + index.back().value == page) {
      index.back().value += value;
    } else {
      index.push_back({page, value, kind, {}});
    }
  }
};

class private_store final : public datastore {
 public:
  explicit private_store(store_parts parts);
  ~private_store() override { shut(); }

  segment& memory() noexcept override { return *memory_; }
  void checkpoint(std::span<const page_run> released, std::string_view label) override;
  void snapshot(const std::filesystem::path& to) override;
  void wait_applied() override;
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return epoch_; }
  bool read_only() const noexcept override { return !writable_; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  store_info info() const override;
  std::string tracker() const override { return tracker_; }

 private:
  void check_may_write() const;
  void finish_apply();
  void clear_away_failed_attempt();
  void gather(std::span<const page_run> released);
  checkpoint_plan plan(const std::vector<page_run>& dirty);
  void plan_released(checkpoint_plan& plan);
  void make_room(const checkpoint_plan& plan, std::uint64_t bytes);
  void write_fresh(std::vector<journal_entry>& index);
  void write_overwrites(std::vector<journal_entry>& index, journal& to);
  void commit(checkpoint_plan plan, std::uint64_t bytes, std::string_view label);
  void apply();
  void shut() noexcept;

  std::filesystem::path path_;
  bool writable_;
  int owner_;
  std::string tracker_;
  mutable std::mutex control_;  // one checkpoint, close or info at a time
  bool open_ = true;
  std::optional<store_parts> parts_;
  std::unique_ptr<private_segment> memory_;
  std::unique_ptr<background_worker> worker_ = std::make_unique<background_worker>();

  std::atomic<std::uint64_t> epoch_{0};  // committed
  std::uint64_t bytes_ = 0;              // length of the segment at that epoch

  // Committed and not yet known to be home; its journal must not be reused. Touched by the worker only
  // while it runs, by others only after waiting for it.
  std::optional<committed_journal> unapplied_;

  // What trackers have reported and no commit has yet made durable. It survives failed checkpoints, since
  // the trackers will not report it again.
  std::vector<page_run> reported_;
  std::vector<page_run> pending_;
  std::vector<page_run> released_;

  // Left by a failed checkpoint, to be cleared away before the next: a journal file that may hold a
  // commit nobody was told of, and pages written home beyond the committed length.
  std::array<bool, 2> suspect_{};
  bool tail_unclean_ = false;
};

private_store::private_store(store_parts parts)
    : path_(parts.path), writable_(parts.writable), owner_(::getpid()), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  epoch_ = super.epoch;
  bytes_ = super.segment_bytes;
  std::vector<committed_journal> pending;
  if (!writable_) {
    // A reader cannot redo at home what a dead writer committed last; it does so in its own memory.
    pending = find_committed(parts_->journals, super);
    if (!pending.empty()) {
      epoch_ = pending.back().header.epoch;
      bytes_ = pending.back().header.segment_bytes;
      parts_->home.require(bytes_);
    }
  }
  memory_ =
      std::make_unique<private_segment>(std::move(parts_->place), parts_->home.extents(bytes_), !writable_);
  tracker_ = memory_->tracker();
  for (const committed_journal& journal : pending) redo_in_memory(journal, memory_->base());
  if (!writable_) memory_->seal();
}

void private_store::check_may_write() const {
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (!writable_) throw error(errc::read_only, path_.string() + " is open for reading: open it for writing");
  if (owner_ != ::getpid()) {
    throw error(
        errc::invalid_argument,
        path_.string() + " belongs to the parent process: a forked child has only a copy of its memory");
  }
}

void private_store::checkpoint(std::span<const page_run> released, std::string_view label) {
  const std::scoped_lock lock(control_);
  check_may_write();
  if (label.size() > max_label_length) {
    throw error(errc::invalid_argument, "the label of a checkpoint has at most " +
                                            std::to_string(max_label_length) + " bytes, not " +
                                            std::to_string(label.size()));
  }
  const bool keep = parts_->keep_last != 0 && !label.empty();
  reporting("checkpoint", path_, [&] {
    // With one checkpoint applied before the next begins, no older journal can hold a page that is
    // written home in place here; that is what makes the fresh writes below safe.
    finish_apply();
    clear_away_failed_attempt();
    if (keep) require_block_sharing(parts_->directory);
    gather(released);
    const std::uint64_t bytes = memory_->size();
    checkpoint_plan next = plan(subtract(pending_, released_));
    plan_released(next);
    if (next.index.empty() && bytes == bytes_ && label.empty()) {
      pending_.clear();
      released_.clear();
      return;
    }
    commit(std::move(next), bytes, label);
  });
  if (!keep) return;
  reporting("keep a copy of the (committed) checkpoint of", path_, [&] {
    finish_apply();
    keep_epoch(parts_->directory, parts_->super.now(), parts_->keep_last);
  });
}

void private_store::snapshot(const std::filesystem::path& to) {
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (writable_) check_may_write();
  reporting("take a snapshot of", path_, [&] {
    // What is home then stays as it is while the lock is held: the program writes to private pages only.
    if (writable_) finish_apply();
    copy_options options;
    options.epoch = epoch_;
    options.with_journals = !writable_;
    options.writable = writable_;
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
  // Only now: while the old journal could still count, its fresh pages had to stay.
  if (tail_unclean_) {
    parts_->home.truncate(bytes_);
    tail_unclean_ = false;
  }
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
  memory_->collect_dirty(reported_);
  // Released by a checkpoint that failed, and stored to since: in use again.
  released_ = subtract(released_, reported_);
  released_.insert(released_.end(), now.begin(), now.end());
  normalize(released_);
  pending_.insert(pending_.end(), reported_.begin(), reported_.end());
  normalize(pending_);
  reported_.clear();
}

checkpoint_plan private_store::plan(const std::vector<page_run>& dirty) {
  checkpoint_plan result;
  const std::byte* const base = memory_->base();
  const std::uint64_t committed = bytes_ / page_size;
  const bool stale = (parts_->super.now().flags & layout::flag_checksums_stale) != 0;
  for (const page_run& run : dirty) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool zero = is_zero_page(base + page * page_size);
      if (page >= committed) {
        // Beyond the committed length: no epoch needs what is home, and the files are holes there.
        if (zero) continue;
        result.add(page, 0, entry_kind::fresh);
        ++result.fresh;
        continue;
      }
      const std::uint32_t entry = parts_->checksums.get(page);
      // A page never written reads as zero in the committed epoch, which may rely on that: it is not
      // free to be written in place.
      const bool hole = entry == layout::no_checksum;
      if (zero && hole && !stale) continue;
      if (zero) {
        result.add(page, 1, entry_kind::zero);
        continue;
      }
      if (entry == layout::any_content && !stale) {
        result.add(page, 0, entry_kind::fresh);
        ++result.fresh;
        continue;
      }
      result.add(page, 0, entry_kind::overwrite);
      ++result.overwrites;
      if (hole) result.holes.push_back({page, 1});
    }
  }
  normalize(result.holes);
  return result;
}

void private_store::plan_released(checkpoint_plan& plan) {
  const std::uint64_t committed = bytes_ / page_size;
  const bool stale = (parts_->super.now().flags & layout::flag_checksums_stale) != 0;
  const std::size_t written = plan.index.size();
  for (const page_run& run : released_) {
    const std::uint64_t end = std::min(run.first + run.count, committed);
    for (std::uint64_t page = run.first; page < end; ++page) {
      const std::uint32_t entry = parts_->checksums.get(page);
      if (stale || entry >= layout::first_checksum) plan.add(page, 1, entry_kind::released);
    }
  }
  std::inplace_merge(plan.index.begin(), plan.index.begin() + static_cast<std::ptrdiff_t>(written),
                     plan.index.end(),
                     [](const journal_entry& a, const journal_entry& b) { return a.page < b.page; });
  for (const journal_entry& entry : plan.index) {
    const bool single = entry.kind == entry_kind::overwrite || entry.kind == entry_kind::fresh;
    plan.touched.push_back({entry.page, single ? 1 : entry.value});
  }
  normalize(plan.touched);
}

// Takes what space can be taken ahead, so that a full disk fails the checkpoint and not, after the commit,
// its application. Fresh pages and the journal are written before the commit anyway.
void private_store::make_room(const checkpoint_plan& plan, std::uint64_t bytes) {
  if (bytes > bytes_) tail_unclean_ = true;
  parts_->home.extend(bytes);
  for (const page_run& run : plan.holes) parts_->home.reserve_space(run);
  parts_->checksums.reserve_space(plan.touched);
}

void private_store::write_fresh(std::vector<journal_entry>& index) {
  const std::byte* const base = memory_->base();
  for (std::size_t i = 0; i < index.size();) {
    if (index[i].kind != entry_kind::fresh) {
      ++i;
      continue;
    }
    const std::uint64_t first = index[i].page;
    std::size_t count = 0;
    while (i < index.size() && count < batch_pages && index[i].kind == entry_kind::fresh &&
           index[i].page == first + count) {
      index[i].value = page_checksum(index[i].page, base + index[i].page * page_size);
      ++count;
      ++i;
    }
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

void private_store::commit(checkpoint_plan plan, std::uint64_t bytes, std::string_view label) {
  const std::uint64_t next = epoch_ + 1;
  const unsigned parity = next & 1;
  journal& to = parts_->journals[parity];
  bool journal_touched = false;
  layout::journal_header header{};
  try {
    parts_->home.sync_names();
    make_room(plan, bytes);
    const bool home_changed =
        plan.fresh != 0 || !plan.holes.empty() || bytes != bytes_ || parts_->home.has_unsynced_names();
    if (plan.fresh != 0) write_fresh(plan.index);
    const bool at_once = home_changed && plan.overwrites != 0;
    if (at_once) worker_->start([this] { parts_->home.sync(); });
    journal_touched = true;
    write_overwrites(plan.index, to);
    if (at_once) {
      if (const std::exception_ptr failure = worker_->wait()) std::rethrow_exception(failure);
    } else if (home_changed) {
      parts_->home.sync();
    }
    header = to.commit(next, bytes, plan.index, plan.overwrites, label);
  } catch (...) {
    worker_->wait();
    suspect_[parity] = journal_touched;
    try {
      clear_away_failed_attempt();
    } catch (const std::exception&) {
      // The next checkpoint tries again, and goes no further if it cannot.
    }
    throw;
  }

  // Committed. Nothing from here on may fail the call.
  epoch_ = next;
  bytes_ = bytes;
  tail_unclean_ = false;
  std::vector<page_run> settled = std::move(pending_);
  settled.insert(settled.end(), released_.begin(), released_.end());
  normalize(settled);
  pending_.clear();
  unapplied_.emplace(committed_journal{&to, header, std::move(plan.index)});
  try {
    if (memory_->rearms()) {
      // Here is the place for a budget of private pages: what exceeds it is dropped once it is home.
      for (const page_run& run : released_) memory_->discard(run);
      worker_->start([this] { apply(); });
    } else {
      worker_->start([this] { apply(); });
      if (!worker_->wait()) memory_->adopt(parts_->home.extents(bytes_), settled);
    }
  } catch (const std::exception&) {
    // No thread, or no mapping, to be had: the journal has it all, and the next checkpoint applies it.
  }
  released_.clear();
}

// Brings the committed journal home. Run by the worker, or by a checkpoint that found it not done.
void private_store::apply() {
  redo_at_home(*unapplied_, parts_->home, parts_->checksums);
  parts_->log.append(unapplied_->header, unapplied_->index);
  parts_->checksums.flush(unapplied_->header.segment_bytes);
  parts_->home.sync();
  parts_->checksums.sync();
  layout::super_slot super = parts_->super.now();
  super.epoch = unapplied_->header.epoch;
  super.applied_epoch = unapplied_->header.epoch;
  super.segment_bytes = unapplied_->header.segment_bytes;
  // Only when this is durable may the journal be written again.
  parts_->super.store(super);
  unapplied_.reset();
}

void private_store::wait_applied() {
  if (!writable_ || owner_ != ::getpid()) return;
  const std::scoped_lock lock(control_);
  if (!open_) return;
  reporting("write home the last checkpoint of", path_, [&] {
    const std::exception_ptr failure = worker_->wait();
    if (unapplied_ && failure) std::rethrow_exception(failure);
  });
}

store_info private_store::info() const {
  const std::scoped_lock lock(control_);
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (owner_ == ::getpid()) worker_->wait();
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = epoch_;
  result.size = bytes_;
  return result;
}

void private_store::shut() noexcept {
  if (owner_ != ::getpid()) {
    // In a forked child the worker's thread does not exist, and its lock may be held for ever.
    if (open_) static_cast<void>(worker_.release());
    open_ = false;
    return;
  }
  const std::scoped_lock lock(control_);
  if (!open_) return;
  open_ = false;
  worker_->wait();
  worker_.reset();
  memory_.reset();
  parts_.reset();
}

}  // namespace

std::unique_ptr<datastore> make_private_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<private_store>(std::move(parts)); });
}

}  // namespace perdure
