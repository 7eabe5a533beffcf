// A store in persistent memory: the segment is the home files, which the program writes to directly.
// docs/explanation/dax.md is its specification and the argument why it holds.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <future>
#include <mutex>
#include <optional>

#include "base/owner_process.hpp"
#include "os/persistent_memory.hpp"
#include "segment/dax_segment.hpp"
#include "segment/page_runs.hpp"
#include "store/backing/before_image_keeper.hpp"
#include "store/backing/checkpoint_outcome.hpp"
#include "store/backing/fault_sentences.hpp"
#include "store/backing/forked_child.hpp"
#include "store/backing/open_stores.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/checkpoint_request.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/redo.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/offline/kept_epochs.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

class dax_store final : public datastore {
 public:
  explicit dax_store(store_parts parts);
  ~dax_store() override { shut(); }

  detail::segment& memory() noexcept override { return *memory_; }
  void checkpoint(std::span<const detail::page_run> released, std::string_view label) override;
  pending_checkpoint checkpoint_async(std::span<const detail::page_run> released,
                                      std::string_view label) override;
  void snapshot(const std::filesystem::path& to) override;
  void wait_applied() override;
  void trim() override { require_own(); }
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return epoch_; }
  std::uint64_t checkpoint_identity() const noexcept override { return identity_; }
  bool read_only() const noexcept override { return false; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  store_info info() const override;
  std::string tracker() const override { return tracker_; }

 private:
  void admit_ahead(const detail::page_run& pages) override {
    require_own();
    memory_->admit_ahead(pages);
  }
  void require_own() const;
  void require_open() const;
  std::vector<detail::file_extent> extend(std::size_t from, std::size_t bytes);
  void gather(std::span<const detail::page_run> released, std::uint64_t pages);
  void write_back_changes();
  void drop_unchanged(checkpoint_plan& plan);
  void commit(checkpoint_plan plan, std::uint64_t bytes, std::string_view label);
  void replace_suspect_journal();
  void take_back() noexcept;
  void give_back(const std::vector<journal_entry>& index) noexcept;
  void apply();
  void shut() noexcept;

  std::filesystem::path path_;
  base::owner_process owner_;
  std::string tracker_;
  mutable std::mutex control_;  // one checkpoint, close or info at a time
  bool open_ = true;
  std::optional<store_parts> parts_;
  std::unique_ptr<before_image_keeper> keeper_;
  std::unique_ptr<detail::dax_segment> memory_;

  known_checkpoint last() const noexcept { return {epoch_, bytes_, identity_}; }

  std::atomic<std::uint64_t> epoch_;  // committed
  std::uint64_t bytes_;               // length of the segment at that epoch
  std::uint64_t identity_;            // of that checkpoint
  changed_pages changed_;
  early_pages early_;  // which pages home has that the last checkpoint does not
  // Committed, and neither the table nor the super block is known to say so; its journal must not be reused.
  std::optional<committed_journal> unapplied_;
  std::exception_ptr apply_failure_;
  bool is_suspect_ = false;  // the journal of the next epoch may hold a commit that was never acknowledged
};

dax_store::dax_store(store_parts parts) : path_(parts.path), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  epoch_ = super.epoch;
  bytes_ = super.segment_bytes;
  identity_ = super.checkpoint;
  keeper_ = std::make_unique<before_image_keeper>(parts_->directory, super.uuid, parts_->place,
                                                  super.home_file_bytes);
  keeper_->begin(last());
  // The part that is there may be sparse: its space is taken as the program writes to it.
  memory_ = std::make_unique<detail::dax_segment>(
      std::move(parts_->place), bytes_,
      [this](std::size_t from, std::size_t bytes) { return extend(from, bytes); }, *keeper_);
  memory_->withhold_from_children(line_for_children(path_, true));
  memory_->explain_faults(lines_for_faults(path_, true, fault_teller::notice));
  tracker_ = memory_->tracker();
}

std::vector<detail::file_extent> dax_store::extend(std::size_t from, std::size_t bytes) {
  home_files& home = parts_->home;
  home.extend(bytes);
  for (std::size_t i = 0; i < home.count(); ++i) keeper_->know(i, home.files()[i].descriptor());
  if (memory_) {
    home.reserve_space({from / page_size, (bytes - from) / page_size});
    keeper_->reserved(from, bytes - from);
  }
  return home.extents(bytes);
}

void dax_store::require_own() const {
  if (owner_.is_here()) return;
  refuse_child(path_);
}

void dax_store::require_open() const {
  if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
}

void dax_store::checkpoint(std::span<const detail::page_run> released, std::string_view label) {
  require_own();
  const std::scoped_lock lock(control_);
  require_open();
  require_label(label);
  const bool keep = parts_->keep.last != 0 && !label.empty();
  reporting("checkpoint", path_, [&] {
    parts_->super.require_named();
    if (keep) require_room_to_keep(parts_->directory, parts_->keep);
    const auto growth = memory_->hold_growth();
    const std::uint64_t bytes = memory_->size();
    // From here on home stands still: threads that write wait, and the witness sees them again when that is
    // over.
    const detail::write_pause pause(*memory_, {0, bytes / page_size});
    if (unapplied_) apply();
    replace_suspect_journal();
    gather(released, bytes / page_size);
    if (early_.empty() && changed_.released().empty() && bytes == bytes_ && label.empty()) return;
    const bool stale = (parts_->super.now().flags & layout::flag_checksums_stale) != 0;
    const committed_state before{bytes_ / page_size, parts_->checksums, stale};
    checkpoint_plan plan =
        plan_checkpoint(memory_->base(), changed_.to_write(), changed_.released(), early_, nullptr, before);
    write_back_changes();
    drop_unchanged(plan);
    try {
      commit(std::move(plan), bytes, label);
    } catch (...) {
      take_back();
      throw;
    }
    try {
      apply();
    } catch (...) {
      // The checkpoint counts. The next one tries to apply it again, and fails if it cannot.
      apply_failure_ = std::current_exception();
    }
    if (!keep) return;
    if (apply_failure_) std::rethrow_exception(apply_failure_);
    keep_epoch(parts_->directory, parts_->super.now(), parts_->keep);
  });
}

// It is synchronous: there is no copy of the pages, so the program would have to wait in any case.
pending_checkpoint dax_store::checkpoint_async(std::span<const detail::page_run> released,
                                               std::string_view label) {
  std::promise<std::uint64_t> outcome;
  try {
    checkpoint(released, label);
    outcome.set_value(epoch_);
  } catch (const error& failure) {
    if (failure.code() == errc::invalid_argument) throw;
    outcome.set_exception(std::current_exception());
  }
  return handle_of(outcome);
}

void dax_store::gather(std::span<const detail::page_run> released, std::uint64_t pages) {
  const std::vector<detail::page_run> now = sound_released(released, pages, path_);
  changed_.gather(*memory_, {0, pages}, early_);
  for (const detail::page_run& run : changed_.dirty()) early_.touch(run);
  changed_.release(now, early_);
}

void dax_store::write_back_changes() {
  std::vector<iovec> parts;
  for (const detail::page_run& run : changed_.dirty())
    parts.push_back({memory_->base() + run.first * page_size, run.count * page_size});
  os::persist(parts);
}

// Computes the checksums, and takes out pages that are as the table says: they only shared a granule with
// pages that were written to. Home has them, whatever becomes of the checkpoint.
void dax_store::drop_unchanged(checkpoint_plan& plan) {
  checksum_table& table = parts_->checksums;
  const std::uint64_t known =
      (parts_->super.now().flags & layout::flag_checksums_stale) != 0 ? 0 : bytes_ / page_size;
  std::vector<journal_entry> changes;
  const auto add = [&changes](std::uint64_t page, std::uint32_t value, entry_kind kind) {
    if (kind == entry_kind::zero && !changes.empty() && changes.back().kind == kind &&
        changes.back().page + changes.back().value == page) {
      ++changes.back().value;
    } else {
      changes.push_back({page, value, kind, 0, {}});
    }
  };
  for (const journal_entry& entry : plan.index) {
    if (entry.kind == entry_kind::fresh) {
      const std::uint32_t sum = page_checksum(entry.page, memory_->base() + entry.page * page_size);
      if (entry.page >= known || table.get(entry.page) != sum) add(entry.page, sum, entry.kind);
    } else if (entry.kind == entry_kind::zero) {
      for (std::uint64_t page = entry.page; page < entry.page + entry.value; ++page) {
        const bool is_so =
            page >= bytes_ / page_size || (page < known && table.get(page) == layout::no_checksum);
        if (!is_so) add(page, 1, entry.kind);
      }
    } else {
      changes.push_back(entry);
    }
  }
  plan.index = std::move(changes);
}

void dax_store::commit(checkpoint_plan plan, std::uint64_t bytes, std::string_view label) {
  parts_->checksums.reserve_space(plan.touched);
  // Makes durable which files there are, how long they are, and where their blocks are.
  parts_->home.sync();
  journal& to = parts_->journals[(epoch_ + 1) & 1];
  is_suspect_ = true;
  const layout::journal_header header =
      to.commit({epoch_ + 1, bytes, draw_identity()}, identity_, plan.index, 0, label, memory_->base());
  is_suspect_ = false;
  bytes_ = bytes;
  epoch_ = header.epoch;
  identity_ = header.checkpoint;
  early_.clear();
  changed_.clear();
  keeper_->begin(last());
  unapplied_.emplace(committed_journal{&to, header, std::move(plan.index)});
  give_back(unapplied_->index);
}

void dax_store::replace_suspect_journal() {
  if (!is_suspect_) return;
  parts_->journals[(epoch_ + 1) & 1].replace();
  is_suspect_ = false;
  keeper_->refuse_all(0);
}

// To be called before any thread may write again: if the commit were found after a crash, the before-images
// would not count, and home would have later bytes than the commit.
void dax_store::take_back() noexcept {
  try {
    replace_suspect_journal();
  } catch (const std::exception&) {
    keeper_->refuse_all(EIO);
  }
}

// Here and not when the checkpoint is applied: that may be tried again when the program writes to these pages
// again.
void dax_store::give_back(const std::vector<journal_entry>& index) noexcept {
  try {
    for (const journal_entry& entry : index) {
      if (!is_run(entry)) continue;
      // Told before, since the punching may fail half way.
      keeper_->punched(entry.page * page_size, entry.value * page_size);
      parts_->home.punch({entry.page, entry.value});
    }
  } catch (const std::exception&) {
    // The pages keep their space. Those that must read as zero do so already.
  }
}

void dax_store::apply() {
  apply_failure_ = nullptr;
  enter_checksums(*unapplied_, parts_->checksums);
  settle_redo(*unapplied_, parts_->home, parts_->checksums, parts_->super, parts_->log, table_use::write);
  unapplied_.reset();
}

void dax_store::wait_applied() {
  if (!owner_.is_here()) return;
  const std::scoped_lock lock(control_);
  if (!open_ || !apply_failure_) return;
  reporting("write home the last checkpoint of", path_, [&] { std::rethrow_exception(apply_failure_); });
}

void dax_store::snapshot(const std::filesystem::path& to) {
  require_own();
  const std::scoped_lock lock(control_);
  require_open();
  reporting("take a snapshot of", path_, [&] {
    const auto growth = memory_->hold_growth();
    const detail::write_pause pause(*memory_, {0, memory_->size() / page_size});
    if (unapplied_) apply();
    copy_options options;
    options.at = last();
    options.journals = journals_to_copy::none;
    options.with_undo = keeper_->has_saved();
    copy_store(parts_->directory, parts_->super.now(), normalized_store_path(to), options);
  });
}

store_info dax_store::info() const {
  std::unique_lock lock(control_, std::defer_lock);
  if (owner_.is_here()) lock.lock();
  require_open();
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = epoch_;
  result.size = bytes_;
  return result;
}

void dax_store::shut() noexcept {
  if (!owner_.is_here()) {
    // In a forked child locks may be held for ever, and the memory is not there.
    if (open_) memory_->forget();
    if (open_) keeper_->forget();
    open_ = false;
    return;
  }
  const std::scoped_lock lock(control_);
  if (!open_) return;
  open_ = false;
  memory_.reset();
  try {
    if (!keeper_->has_saved()) keeper_->clear();
  } catch (const std::exception&) {
    // The undo log keeps its space.
  }
  keeper_.reset();
  parts_.reset();
}

}  // namespace

std::optional<std::string> why_not_persistent_memory(const os::file& home,
                                                     const std::filesystem::path& store) {
  const auto kernel_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (kernel_page > detail::dax_segment::granule) {
    return store.string() + " cannot be opened in persistent memory: this kernel's " +
           std::to_string(kernel_page) + "-byte pages are too large to protect";
  }
  if (os::can_map_persistent(home.descriptor(), page_size)) return std::nullopt;
  if (errno != EOPNOTSUPP)
    throw std::system_error(errno, std::generic_category(), "mmap " + home.path().string());
  return store.string() +
         " is not in persistent memory: its file system has no DAX (MAP_SYNC is refused). Put the "
         "store on ext4 or XFS made on a /dev/pmem device and mounted with `-o dax`, or open it with "
         "another backing";
}

std::unique_ptr<datastore> make_dax_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<dax_store>(std::move(parts)); });
}

}  // namespace perdure::store
