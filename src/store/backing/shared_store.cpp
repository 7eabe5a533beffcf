// A store whose segment is a shared mapping of the files. While it is open its files may hold anything
// between the last clean close and now; the super block says so (`open_dirty`).
#include <atomic>
#include <mutex>
#include <optional>

#include "base/owner_process.hpp"
#include "segment/shared_segment.hpp"
#include "store/backing/fault_sentences.hpp"
#include "store/backing/forked_child.hpp"
#include "store/backing/open_stores.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure::store {

namespace {

class shared_store final : public datastore {
 public:
  explicit shared_store(store_parts parts)
      : path_(parts.path),
        parts_(std::move(parts)),
        epoch_(parts_->super.now().epoch),
        identity_(parts_->super.now().checkpoint) {
    layout::super_slot super = parts_->super.now();
    super.flags |= layout::flag_open_dirty | layout::flag_checksums_stale;
    parts_->super.store(super);
    memory_ = std::make_unique<detail::shared_segment>(
        std::move(parts_->place), super.segment_bytes, [this](std::size_t bytes) {
          const std::uint64_t before = parts_->home.bytes();
          parts_->home.extend(bytes);
          if (bytes > before) parts_->home.reserve_space({before / page_size, (bytes - before) / page_size});
          return parts_->home.extents(bytes);
        });
    memory_->explain_faults(lines_for_faults(path_, true, fault_teller::notice));
  }
  ~shared_store() override {
    try {
      shut();
    } catch (const std::exception&) {
      // The super block still says open-dirty, so the next opening reports it.
    }
  }

  detail::segment& memory() noexcept override { return *memory_; }

  void checkpoint(std::span<const detail::page_run> released, std::string_view) override {
    // Checked before any lock is taken: in a forked child a lock may be held by a thread that does not exist
    // there.
    if (!owner_.is_here()) refuse_child(path_);
    const std::scoped_lock lock(control_);
    if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
    reporting("checkpoint", path_, [&] {
      for (const detail::page_run& run : released) parts_->home.punch(run);
      save(layout::flag_open_dirty | layout::flag_checksums_stale);
    });
  }

  pending_checkpoint checkpoint_async(std::span<const detail::page_run> released,
                                      std::string_view label) override {
    checkpoint(released, label);
    return pending_checkpoint::done(epoch_);
  }

  void snapshot(const std::filesystem::path& to) override {
    checkpoint({}, {});
    const std::scoped_lock lock(control_);
    reporting("take a snapshot of", path_, [&] {
      layout::super_slot super = parts_->super.now();
      super.flags &= ~layout::flag_open_dirty;
      copy_options options;
      options.at = at_home(super);
      options.journals = journals_to_copy::none;
      copy_store(parts_->directory, super, normalized_store_path(to), options);
    });
  }

  bool snapshot_copies_memory() const noexcept override { return true; }

  void wait_applied() override {}
  void trim() override {}
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return epoch_; }
  std::uint64_t checkpoint_identity() const noexcept override { return identity_; }
  bool read_only() const noexcept override { return false; }
  const std::filesystem::path& path() const noexcept override { return path_; }

  store_info info() const override {
    std::unique_lock lock(control_, std::defer_lock);
    if (owner_.is_here()) lock.lock();
    if (!open_) throw error(errc::invalid_argument, path_.string() + " has been closed");
    return describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  }

  std::string tracker() const override { return "none"; }

 private:
  // Makes everything written so far durable, and then a super block that says how much it is.
  void save(std::uint64_t flags) {
    parts_->super.require_named();
    layout::super_slot super = parts_->super.now();
    super.flags = (super.flags & layout::flag_pinned) | flags;
    super.epoch = super.applied_epoch = super.table_epoch = super.epoch + 1;
    super.segment_bytes = memory_->size();
    super.parent = super.checkpoint;
    super.checkpoint = draw_identity();
    super.incompat |= layout::incompat_identities;
    parts_->home.stamp_all(at_home(super));
    parts_->home.sync_all();
    parts_->checksums.flush(memory_->size());
    parts_->checksums.stamp(at_home(super));
    parts_->checksums.sync();
    super.home_stamps = parts_->home.stamps_at(super.epoch, super.segment_bytes).value_or(0);
    super.table_stamp = super.checkpoint;
    parts_->super.store(super);
    epoch_ = super.epoch;
    identity_ = super.checkpoint;
  }

  void shut() {
    if (!owner_.is_here()) return;
    const std::scoped_lock lock(control_);
    if (!open_) return;
    open_ = false;
    const auto let_go = [this] {
      memory_.reset();
      parts_.reset();
    };
    try {
      reporting("close", path_, [&] { save(layout::flag_checksums_stale); });
    } catch (...) {
      let_go();
      throw;
    }
    let_go();
  }

  std::filesystem::path path_;
  base::owner_process owner_;
  mutable std::mutex control_;
  bool open_ = true;
  std::optional<store_parts> parts_;
  std::unique_ptr<detail::shared_segment> memory_;
  std::atomic<std::uint64_t> epoch_;
  std::uint64_t identity_;  // of that checkpoint
};

}  // namespace

std::unique_ptr<datastore> make_shared_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<shared_store>(std::move(parts)); });
}

}  // namespace perdure::store
