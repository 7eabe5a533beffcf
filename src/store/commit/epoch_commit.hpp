// A checkpoint, from the changed pages in memory to the committed pages at home.
//
// The steps are those of docs/explanation/durability.md, "A checkpoint". The commit does not know where the
// memory comes from (epoch_memory), nor which threads wait for what (the open store).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/background_worker.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/early_home.hpp"
#include "store/commit/epoch_memory.hpp"
#include "store/commit/redo.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// The epochs of an open writer, one after the other, each in phases:
///
///     finish_last -> plan -> copy_out -+-> prepare -> decide -+-> apply
///                                      |        |             |
///                                      |        +-> abandon   |
///                                      +----> commit ---------+
///
/// `commit` is `prepare` and `decide` in one write, for stores that decide alone. Whatever fails before the
/// decision ends in `abandon`, after which the memory has all its changes still, and the next epoch has them.
///
/// Thread safety: `epoch` and `take_turn` may be called from any thread, all else in a turn. The worker's
/// tasks are part of the turn in which they were posted, up to the next call of `finish_last` or `wait`.
class epoch_commit {
 public:
  using turn = std::unique_lock<std::mutex>;

  /// For a store whose last checkpoint is `epoch`, when the segment had so many bytes. The parts and the
  /// worker must outlive it.
  epoch_commit(store_parts& parts, base::background_worker& worker, const known_checkpoint& last);
  void attach(epoch_memory& memory) noexcept;
  /// To be called if the last epoch is not home yet, with its journal.
  void take_up(committed_journal pending) { unapplied_ = std::move(pending); }

  /// Waits until no other thread changes the store. Throws `invalid_argument` after `end`.
  turn take_turn();
  /// Returns whether this thread has the turn of an epoch that is prepared.
  bool is_prepared_here() const noexcept { return undecided_by_ == std::this_thread::get_id(); }
  /// Allows no more turns. Writes what spares the next opening some reading.
  void end() noexcept;
  bool has_ended() const noexcept { return has_ended_; }

  /// The last committed epoch.
  std::uint64_t epoch() const noexcept { return epoch_; }
  /// The segment's length at that epoch.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// The two, with its identity.
  known_checkpoint last() const noexcept { return {epoch_, bytes_, identity_}; }
  /// Returns the state of the last committed epoch. While it is used, no other may be committed.
  committed_state committed();

  /// Step 1: waits until the last epoch is home, tries again if that failed, and clears away what a failed
  /// checkpoint has left. That takes disk space, for which those of the `released` pages are given up first
  /// that no checkpoint has.
  void finish_last(std::span<const detail::page_run> released = {});
  /// Waits until the last epoch is home and the file `crc` has its entries, so that the files need no
  /// journal.
  void finish_last_with_table();
  /// Returns whether no epoch is on its way to the device, as far as that can be told without waiting: then
  /// `finish_last` waits for no more than the last one's coming home.
  bool is_last_committed() { return epoch_ == departed_ || worker_.is_idle(); }
  /// Waits until the worker is done.
  void wait() { worker_.wait(); }

  /// Holds the memory's pages while a checkpoint copies them.
  class hold {
   public:
    explicit hold(epoch_commit& commit);
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold();

   private:
    friend epoch_commit;
    void copied() noexcept;
    epoch_commit& commit_;
    bool is_copied_ = false;
  };

  /// Steps 2 and 3: collects the changed pages and decides what goes where. False if nothing has changed and
  /// no checkpoint is needed.
  bool plan(hold& held, std::span<const detail::page_run> released, std::string_view label, bool always);
  /// Steps 4 to 6: on return all pages are copied to the kernel, and the program may go on unless the memory
  /// waits for its home. Syncs of home are under way.
  void copy_out(hold& held);
  /// Step 7 in two: everything is durable but the decision. Returns the checkpoint's identity.
  std::uint64_t prepare();
  void decide();
  /// Step 7 in one.
  void commit();
  /// Returns whether an epoch is prepared and not decided on. If `decide` has failed, it may be called again.
  bool is_prepared() const noexcept { return flight_ && flight_->prepared; }
  /// Leaves what the checkpoint was to make durable to the next one. If this meets an error, the next one
  /// meets it again.
  void abandon() noexcept;
  /// Allows no more turns: the prepared epoch stays on disk, and the next opening must be told whether it
  /// counts.
  void leave_undecided() noexcept;
  /// Steps 9 and 10: brings the committed epoch home. A failure is kept in `apply_failure_`, and
  /// `finish_last` tries again.
  void apply_quietly(table_use at_least) noexcept;
  std::exception_ptr apply_failure() const noexcept { return unapplied_ ? apply_failure_ : nullptr; }
  /// Waits until the last epoch is home. Throws the error that kept it from being so.
  void wait_applied();
  /// For memory that waits until its pages are home: ends that wait, and maps the memory from home if the
  /// epoch is there.
  void settle_memory(std::uint64_t epoch) noexcept;

  // What is known about pages that were written before their checkpoint.

  changed_pages& changed() noexcept { return changed_; }
  early_home& early() noexcept { return early_; }
  /// The journal of the epoch to come.
  journal& next_journal() noexcept { return parts_.journals[(epoch_ + 1) & 1]; }

 private:
  // A checkpoint on its way to the device.
  struct flight {
    std::uint64_t epoch;
    std::uint64_t bytes;
    checkpoint_plan plan;
    std::string label;
    std::optional<layout::journal_header> prepared;
    std::exception_ptr home_failure;
    // The pages that it makes durable, to be collected again if it fails. Moved in last, so that nothing can
    // throw after that.
    changed_pages changed;
  };

  void finish_apply();
  void clear_away_failed_attempt();
  /// Gives disk space back that only pages have which are released, and were written early.
  void give_back(std::span<const detail::page_run> released);
  /// Returns whether a journal that failed may be on disk with its header: after a crash it would count.
  bool may_failed_journal_count() const noexcept;
  void collect(std::span<const detail::page_run> released);
  void make_room(const checkpoint_plan& plan, std::uint64_t bytes);
  void write_fresh(std::span<layout::journal_entry> index);
  void write_overwrites(std::span<layout::journal_entry> index, journal& to);
  void sync_home() noexcept;
  layout::journal_header write_journal(journal::decision made);
  void count(const layout::journal_header& header) noexcept;
  void apply(table_use at_least = table_use::keep_in_journal);
  void apply_in_turn(table_use at_least);
  void write_table();
  bool is_table_due() const;
  void forget_what_memory_knows() noexcept;

  std::filesystem::path path_;  // of the store, for messages after its end too
  store_parts& parts_;
  base::background_worker& worker_;
  epoch_memory* memory_ = nullptr;
  evicted_pages* evicted_ = nullptr;  // of that memory
  std::mutex mutex_;                  // held by the thread that has the turn
  bool is_left_undecided_ = false;
  std::atomic<std::thread::id> undecided_by_{};  // the thread that has the turn of a prepared checkpoint
  std::atomic<bool> has_ended_{false};

  // Everything from here on is touched by the worker only while it runs a task, and by other threads only
  // after they have waited for that; but any thread may read the epoch at any time.

  std::atomic<std::uint64_t> epoch_;
  std::uint64_t departed_;  // the last one that was to be made; touched in turns only
  std::uint64_t bytes_;
  std::uint64_t identity_;
  std::optional<flight> flight_;
  // Committed and not yet known to be home; its journal must not be reused.
  std::optional<committed_journal> unapplied_;
  // Applied, and still needed until the next one is committed: the file `crc` lacks its entries.
  std::optional<committed_journal> carrying_;
  std::uint64_t carried_bytes_ = 0;  // bytes that journals have carried since the table was written
  std::exception_ptr apply_failure_;

  changed_pages changed_;
  early_home early_;
  std::vector<detail::page_run> to_settle_;

  // Left by a failed checkpoint, to be cleared away before the next: a journal file that may hold a commit
  // that was never acknowledged.
  std::array<bool, 2> suspect_{};
  std::optional<store_lock::turn> committing_;  // until it is known whether the journal counts
};

}  // namespace perdure::store
