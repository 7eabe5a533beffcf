// A store with atomic checkpoints that is open for writing: which threads wait for what, and what the program
// is told. The commit (store/commit/epoch_commit.hpp) knows how a checkpoint is made durable, and the memory
// (store/backing/store_memory.hpp) where its pages come from.
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/owner_process.hpp"
#include "store/backing/checkpoint_outcome.hpp"
#include "store/backing/forked_child.hpp"
#include "store/backing/open_stores.hpp"
#include "store/backing/paged_memory.hpp"
#include "store/backing/private_memory.hpp"
#include "store/commit/checkpoint_request.hpp"
#include "store/commit/epoch_commit.hpp"
#include "store/file/failure.hpp"
#include "store/file/store_directory.hpp"
#include "store/offline/kept_epochs.hpp"
#include "store/offline/store_copy.hpp"

namespace perdure::store {

namespace {

class journaled_store final : public datastore {
 public:
  explicit journaled_store(store_parts parts);
  ~journaled_store() override { shut(); }

  detail::segment& memory() noexcept override { return memory_->pages(); }
  void checkpoint(std::span<const detail::page_run> released, std::string_view label) override {
    require_own();
    const epoch_commit::turn turn = commit_->take_turn();
    launch(released, label).wait();
  }
  pending_checkpoint checkpoint_async(std::span<const detail::page_run> released,
                                      std::string_view label) override {
    require_own();
    const epoch_commit::turn turn = commit_->take_turn();
    return launch(released, label);
  }
  std::unique_ptr<prepared_checkpoint> prepare(std::span<const detail::page_run> released,
                                               std::string_view label) override;
  void snapshot(const std::filesystem::path& to) override;
  void wait_applied() override;
  void trim() override;
  void close() override { shut(); }
  std::uint64_t epoch() const noexcept override { return commit_->epoch(); }
  std::uint64_t checkpoint_identity() const noexcept override { return commit_->last().identity; }
  bool read_only() const noexcept override { return false; }
  const std::filesystem::path& path() const noexcept override { return path_; }
  store_info info() const override;
  std::string tracker() const override { return tracker_; }
  pager::pin pin(const void* address, std::size_t bytes, pager::pin_for use) override;
  void prefetch(const void* address, std::size_t bytes) override;
  std::optional<pager::statistics> paging() const override {
    return memory_ ? memory_->paging() : std::nullopt;
  }

 private:
  class undecided;
  void settle_written(const detail::page_run& pages) override;
  bool write_pages(const detail::page_run& pages, const std::byte* from, std::uint32_t* of_bytes) override;
  bool read_pages(const detail::page_run& pages, std::byte* to) override;
  using decision = void (epoch_commit::*)();

  void require_own() const;
  /// Returns whether the store keeps the epoch with this label as a copy.
  bool is_to_be_kept(std::string_view label) const noexcept {
    return parts_->keep.last != 0 && !label.empty();
  }
  void begin_checkpoint(std::span<const detail::page_run> released, std::string_view label);
  pending_checkpoint launch(std::span<const detail::page_run> released, std::string_view label);
  pending_checkpoint depart(decision how, bool keep);
  void decide_and_apply(decision how, std::promise<std::uint64_t>& outcome, bool keep) noexcept;
  void shut() noexcept;

  std::filesystem::path path_;
  base::owner_process owner_;
  std::string tracker_;
  std::optional<store_parts> parts_;
  std::unique_ptr<base::background_worker> worker_ = std::make_unique<base::background_worker>();
  std::unique_ptr<lazy_verifier> verifier_;
  std::unique_ptr<epoch_commit> commit_;
  std::unique_ptr<store_memory> memory_;
  undecided* undecided_ = nullptr;  // the prepared checkpoint, which has the turn
  std::mutex deciding_;             // between its decision and another thread that closes the store
};

journaled_store::journaled_store(store_parts parts) : path_(parts.path), parts_(std::move(parts)) {
  const layout::super_slot& super = parts_->super.now();
  known_checkpoint last = at_home(super);
  std::optional<committed_journal> pending;
  if (parts_->redo == redo_state::pending) {
    // Home has no room for what a dead writer committed last, so its pages are read from the journal.
    pending = find_committed(parts_->journals, super, parts_->ceiling);
    if (pending) {
      last = checkpoint_in(pending->header);
      parts_->home.require(last.segment_bytes);
    }
  }
  commit_ = std::make_unique<epoch_commit>(*parts_, *worker_, last);
  if (parts_->resident == residence::within_budget) {
    memory_ = std::make_unique<paged_memory>(*parts_, *commit_);
  } else {
    memory_ = std::make_unique<private_memory>(*parts_, *commit_, *worker_);
  }
  commit_->attach(*memory_);
  tracker_ = memory_->tracker();
  const bool has_checksums = (super.flags & layout::flag_checksums_stale) == 0;
  if (parts_->verify == verify_mode::lazy && has_checksums)
    verifier_ = std::make_unique<lazy_verifier>(*parts_, last.segment_bytes);
  if (pending) memory_->take_up(*pending);
  if (verifier_ && pending) verifier_->know(*pending);
  if (verifier_) memory_->examine_when_touched(*verifier_);
  if (pending) commit_->take_up(std::move(*pending));
  memory_->begin_early_writing();
  parts_->lock.admit_readers();
}

// Called before any lock is taken: in a forked child a lock may be held by a thread that does not exist
// there.
void journaled_store::require_own() const {
  if (!owner_.is_here()) refuse_child(path_);
}

// The checks that come before the first page is looked at.
void journaled_store::begin_checkpoint(std::span<const detail::page_run> released, std::string_view label) {
  memory_->require_none_lost();
  parts_->super.require_named();
  commit_->finish_last(released);
  if (is_to_be_kept(label)) require_room_to_keep(parts_->directory, parts_->keep);
}

pending_checkpoint journaled_store::launch(std::span<const detail::page_run> released,
                                           std::string_view label) {
  require_label(label);
  return reporting("checkpoint", path_, [&] {
    begin_checkpoint(released, label);
    epoch_commit::hold held(*commit_);
    if (!commit_->plan(held, released, label, !label.empty()))
      return pending_checkpoint::done(commit_->epoch());
    // The part for which the program must be quiet: every page is copied to the kernel. The worker does the
    // rest.
    try {
      commit_->copy_out(held);
      return depart(&epoch_commit::commit, is_to_be_kept(label));
    } catch (...) {
      worker_->wait();
      commit_->abandon();
      throw;
    }
  });
}

// Posts the rest, which is done while the program goes on. If this throws, the rest has not begun.
pending_checkpoint journaled_store::depart(decision how, bool keep) {
  const std::uint64_t epoch = commit_->epoch() + 1;
  // Declared in this order: a promise that is destroyed unfulfilled while another thread may ask for it
  // allocates an exception, and if there is no memory for that, its destructor would end the program.
  const auto outcome = std::make_shared<std::promise<std::uint64_t>>();
  pending_checkpoint handle = handle_of(*outcome);
  worker_->post([this, outcome, how, keep] { decide_and_apply(how, *outcome, keep); });
  if (memory_->waits_for_home()) {
    worker_->wait();
    commit_->settle_memory(epoch);
  }
  return handle;
}

// Run by the worker.
void journaled_store::decide_and_apply(decision how, std::promise<std::uint64_t>& outcome,
                                       bool keep) noexcept {
  try {
    reporting("checkpoint", path_, [&] { ((*commit_).*how)(); });
  } catch (...) {
    // A prepared checkpoint may have been decided on elsewhere.
    if (!commit_->is_prepared()) commit_->abandon();
    outcome.set_exception(std::current_exception());
    return;
  }
  const std::uint64_t epoch = commit_->epoch();
  if (!keep) outcome.set_value(epoch);
  commit_->apply_quietly(keep ? table_use::write : table_use::keep_in_journal);
  if (!keep) return;
  try {
    reporting("keep a copy of the (committed) checkpoint of", path_, [this] {
      if (const std::exception_ptr failure = commit_->apply_failure()) std::rethrow_exception(failure);
      keep_epoch(parts_->directory, parts_->super.now(), parts_->keep);
    });
    outcome.set_value(epoch);
  } catch (...) {
    outcome.set_exception(std::current_exception());
  }
}

/// A prepared checkpoint. It has the turn until it is decided on, so that nothing else happens to the store
/// meanwhile.
class journaled_store::undecided final : public prepared_checkpoint {
 public:
  undecided(journaled_store& store, std::span<const detail::page_run> released, std::string_view label)
      : store_(store), turn_(store.commit_->take_turn()), keep_(store.is_to_be_kept(label)) {
    epoch_commit& commit = *store_.commit_;
    store_.begin_checkpoint(released, label);
    held_ = std::make_unique<epoch_commit::hold>(commit);
    epoch_ = commit.epoch() + 1;
    commit.plan(*held_, released, label, true);
    try {
      commit.copy_out(*held_);
      store_.worker_->wait();
      identity_ = commit.prepare();
    } catch (...) {
      store_.worker_->wait();
      commit.abandon();
      throw;
    }
    const std::scoped_lock lock(store_.deciding_);
    store_.undecided_ = this;
  }
  ~undecided() override {
    if (store_.owner_.is_here()) {
      const std::scoped_lock lock(store_.deciding_);
      if (store_.undecided_ == this) give_up();
    } else {
      // In a forked child the threads and locks of the parent do not exist.
      static_cast<void>(held_.release());
      static_cast<void>(turn_.release());
    }
  }

  std::uint64_t epoch() const noexcept override { return epoch_; }
  std::uint64_t identity() const noexcept override { return identity_; }

  void decide() override {
    store_.require_own();
    const std::scoped_lock lock(store_.deciding_);
    if (store_.undecided_ != this)
      throw error(errc::invalid_argument, "checkpoint " + std::to_string(epoch_) + " of " +
                                              store_.path_.string() + " has been decided or abandoned");
    was_tried_ = true;
    const pending_checkpoint outcome = store_.depart(&epoch_commit::decide, keep_);
    const std::exception_ptr failure = outcome.error();
    if (!store_.commit_->is_prepared()) end();
    if (failure) std::rethrow_exception(failure);
  }

  void abandon() noexcept override {
    // In a forked child it belongs to the parent, whose files these are.
    if (!store_.owner_.is_here()) return;
    const std::scoped_lock lock(store_.deciding_);
    if (store_.undecided_ != this) return;
    store_.commit_->abandon();
    end();
  }

  void leave() noexcept override {
    if (!store_.owner_.is_here()) return;
    const std::scoped_lock lock(store_.deciding_);
    if (store_.undecided_ != this) return;
    was_tried_ = true;
    give_up();
  }

  /// Ends it without a decision. What may have been decided on elsewhere stays on disk as it is. `deciding_`
  /// is held.
  void give_up() noexcept {
    if (was_tried_) {
      store_.commit_->leave_undecided();
    } else {
      store_.commit_->abandon();
    }
    end();
  }

 private:
  void end() noexcept {
    store_.undecided_ = nullptr;
    held_.reset();
    turn_.unlock();
  }

  journaled_store& store_;
  epoch_commit::turn turn_;
  bool keep_;
  std::unique_ptr<epoch_commit::hold> held_;
  std::uint64_t epoch_ = 0;
  std::uint64_t identity_ = 0;
  bool was_tried_ = false;  // whether writing the decision was tried, here or elsewhere
};

std::unique_ptr<prepared_checkpoint> journaled_store::prepare(std::span<const detail::page_run> released,
                                                              std::string_view label) {
  require_own();
  require_label(label);
  return reporting("checkpoint", path_, [&] { return std::make_unique<undecided>(*this, released, label); });
}

void journaled_store::snapshot(const std::filesystem::path& to) {
  require_own();
  const epoch_commit::turn turn = commit_->take_turn();
  reporting("take a snapshot of", path_, [&] {
    // Then home stays as it is for the length of this turn: the program writes to private pages only. Pages
    // that were written there early are undone in the copy.
    commit_->finish_last_with_table();
    copy_options options;
    options.at = commit_->last();
    options.journals = journals_to_copy::none;
    options.with_undo = !commit_->early().pages().empty();
    copy_store(parts_->directory, parts_->super.now(), normalized_store_path(to), options);
  });
}

void journaled_store::trim() {
  require_own();
  // Throws if no turn can be had, as after `close`: then there is no memory either.
  static_cast<void>(commit_->take_turn());
  memory_->trim();
}

void journaled_store::wait_applied() {
  // When a checkpoint is prepared, the last one is home already.
  if (!owner_.is_here() || commit_->has_ended() || commit_->is_prepared_here()) return;
  const epoch_commit::turn turn = commit_->take_turn();
  reporting("write home the last checkpoint of", path_, [&] { commit_->wait_applied(); });
}

pager::pin journaled_store::pin(const void* address, std::size_t bytes, pager::pin_for use) {
  require_own();
  return memory_->pin(pages_of(address, bytes), use);
}

void journaled_store::prefetch(const void* address, std::size_t bytes) {
  require_own();
  memory_->prefetch(pages_of(address, bytes));
}

bool journaled_store::write_pages(const detail::page_run& pages, const std::byte* from,
                                  std::uint32_t* of_bytes) {
  require_own();
  // A thread that has prepared a checkpoint has the turn that this would take.
  if (commit_->is_prepared_here()) return false;
  return reporting("write to", path_, [&] { return memory_->write_through(pages, from, of_bytes); });
}

void journaled_store::settle_written(const detail::page_run& pages) {
  if (!owner_.is_here()) return;
  reporting("make durable what was copied to", path_, [&] { memory_->settle_written(pages); });
}

bool journaled_store::read_pages(const detail::page_run& pages, std::byte* to) {
  require_own();
  return reporting("read", path_, [&] { return memory_->read_through(pages, to); });
}

store_info journaled_store::info() const {
  // In a forked child the turn may belong to a thread that does not exist there.
  epoch_commit::turn turn;
  if (owner_.is_here() && !commit_->is_prepared_here()) {
    turn = commit_->take_turn();
    commit_->wait();
  }
  store_info result = describe(parts_->directory, parts_->super.now(), parts_->super.abi());
  result.epoch = commit_->epoch();
  result.size = commit_->bytes();
  return result;
}

void journaled_store::shut() noexcept {
  if (!owner_.is_here()) {
    // In a forked child the threads do not exist, and their locks may be held for ever.
    if (worker_) static_cast<void>(worker_.release());
    if (memory_) memory_->forget_threads();
    return;
  }
  if (!memory_) return;
  {
    const std::scoped_lock lock(deciding_);
    if (undecided_ != nullptr) undecided_->give_up();
  }
  // Ended first, as these threads take turns.
  memory_->end_early_writing();
  commit_->end();
  worker_.reset();
  memory_.reset();
  verifier_.reset();
  parts_.reset();
}

}  // namespace

std::unique_ptr<datastore> make_journaled_store(store_parts parts) {
  const std::filesystem::path path = parts.path;
  return reporting("open", path, [&] { return std::make_unique<journaled_store>(std::move(parts)); });
}

}  // namespace perdure::store
