// How an epoch is made durable: docs/explanation/durability.md argues why this order holds.
#include "store/commit/epoch_commit.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/invariant.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/commit/checkpoint_request.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

using layout::entry_kind;
using layout::journal_entry;

namespace {

std::uint64_t carried_in(const std::vector<journal_entry>& index) {
  return static_cast<std::uint64_t>(std::count_if(
      index.begin(), index.end(), [](const journal_entry& entry) { return entry.carried != 0; }));
}

/// Recovery rejects an index that names a page twice.
[[maybe_unused]] bool is_sorted_by_page(const std::vector<journal_entry>& index) {
  const auto does_not_end_before = [](const journal_entry& a, const journal_entry& b) {
    return a.page + (is_run(a) ? a.value : 1) > b.page;
  };
  return std::adjacent_find(index.begin(), index.end(), does_not_end_before) == index.end();
}

}  // namespace

epoch_commit::epoch_commit(store_parts& parts, base::background_worker& worker, const known_checkpoint& last)
    : path_(parts.path),
      parts_(parts),
      worker_(worker),
      epoch_(last.epoch),
      departed_(last.epoch),
      bytes_(last.segment_bytes),
      identity_(last.identity),
      early_(parts.home, parts.path) {}

void epoch_commit::attach(epoch_memory& memory) noexcept {
  memory_ = &memory;
  evicted_ = &memory.evicted();
  early_.attach(*evicted_);
}

epoch_commit::turn epoch_commit::take_turn() {
  if (is_prepared_here()) {
    throw error(errc::invalid_argument, path_.string() +
                                            " has a prepared checkpoint of this thread's, which "
                                            "must be decided on or abandoned first");
  }
  turn mine(mutex_);
  if (has_ended_) throw error(errc::invalid_argument, path_.string() + " has been closed");
  if (is_left_undecided_) {
    throw error(errc::undecided, path_.string() +
                                     " has a prepared checkpoint that was not decided on here: "
                                     "reopen the store with what was decided");
  }
  return mine;
}

void epoch_commit::end() noexcept {
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
  worker_.wait();
  try {
    if (!unapplied_ && !is_left_undecided_) write_table();
  } catch (const std::exception&) {
    // The journal has these entries.
  }
  committing_.reset();
}

committed_state epoch_commit::committed() {
  const bool stale = (parts_.super.now().flags & layout::flag_checksums_stale) != 0;
  return {bytes_ / page_size, parts_.checksums, stale};
}

// ---- step 1 ----------------------------------------------------------------------------------------------

// With one checkpoint applied before the next begins, no older journal can hold a page that is written home
// in place by the next; that is what makes its fresh writes safe.
void epoch_commit::finish_last(std::span<const detail::page_run> released) {
  finish_apply();
  // To clear away takes space too. But a journal that may count after a crash needs the pages that its epoch
  // had.
  if (!early_.pages().empty() && !may_failed_journal_count()) {
    const std::vector<detail::page_run> now =
        sound_released(released, memory_->pages().size() / page_size, path_);
    // Before home changes: a thread that reads ahead may be bringing these pages in, and must not miss what
    // they held.
    memory_->release(now);
    give_back(now);
  }
  clear_away_failed_attempt();
}

void epoch_commit::give_back(std::span<const detail::page_run> released) {
  memory_->punched(early_.give_back(released, committed()));
}

bool epoch_commit::may_failed_journal_count() const noexcept {
  for (const unsigned parity : {0U, 1U})
    if (suspect_[parity] && parts_.journals[parity].is_header_begun()) return true;
  return false;
}

void epoch_commit::finish_last_with_table() {
  finish_apply();
  write_table();
}

void epoch_commit::finish_apply() {
  worker_.wait();
  if (unapplied_) apply();
}

void epoch_commit::clear_away_failed_attempt() {
  for (const unsigned parity : {0U, 1U}) {
    if (!suspect_[parity]) continue;
    parts_.journals[parity].replace(evicted_->only_in_journal());
    evicted_->journal_replaced(parity, parts_.journals[parity]);
    suspect_[parity] = false;
  }
  committing_.reset();
  // Not earlier: while the old journal could still count, its fresh pages had to stay. Now their space may be
  // what a full disk lacks.
  early_.clear_away();
}

// ---- steps 2 and 3 ---------------------------------------------------------------------------------------

epoch_commit::hold::hold(epoch_commit& commit) : commit_(commit) {
  commit_.memory_->hold();
}

epoch_commit::hold::~hold() {
  commit_.memory_->let_go();
  if (!is_copied_) commit_.forget_what_memory_knows();
}

void epoch_commit::hold::copied() noexcept {
  is_copied_ = true;
  commit_.memory_->copied();
  commit_.forget_what_memory_knows();
}

void epoch_commit::forget_what_memory_knows() noexcept {
  if (!memory_->recollects()) return;
  changed_.forget_dirty();
  if (flight_) flight_->changed.forget_dirty();
}

bool epoch_commit::plan(hold& held, std::span<const detail::page_run> released, std::string_view label,
                        bool always) {
  // This epoch uses the journal of epoch k-1, which is free only when epoch k is home.
  PERDURE_INVARIANT(!flight_ && !unapplied_);
  collect(released);
  const detail::segment& memory = memory_->pages();
  const std::uint64_t bytes = memory.size();
  checkpoint_plan plan = evicted_->plan(memory, changed_, early_.pages(), committed());
  if (!always && plan.index.empty() && bytes == bytes_) {
    held.copied();
    changed_.clear();
    return false;
  }
  if (carrying_) carry(carrying_->index, plan.index);
  departed_ = epoch_ + 1;
  flight_.emplace(
      flight{epoch_ + 1, bytes, std::move(plan), std::string(label), {}, {}, std::exchange(changed_, {})});
  return true;
}

void epoch_commit::collect(std::span<const detail::page_run> released) {
  const std::vector<detail::page_run> now =
      sound_released(released, memory_->pages().size() / page_size, path_);
  memory_->collect(changed_, early_.pages());
  memory_->release(now);
  changed_.release(now, early_.pages());
}

// ---- steps 4 to 6 ----------------------------------------------------------------------------------------

void epoch_commit::copy_out(hold& held) {
  flight& now = *flight_;
  parts_.home.sync_names();
  evicted_->empty_home(now.plan.index, early_.pages(), parts_.home);
  give_back(now.changed.released());
  make_room(now.plan, now.bytes);
  const bool home_changed = now.plan.fresh != 0 || !now.plan.holes.empty() || now.bytes != bytes_;
  if (now.plan.fresh != 0) write_fresh(now.plan.index);
  // The worker syncs home while this thread writes the journal.
  if (home_changed) worker_.post([this] { sync_home(); });
  const unsigned parity = now.epoch & 1;
  parts_.journals[parity].begin_epoch();
  // A journal with pages that are nowhere else is not replaced before it must be.
  if (!evicted_->may_be_in_journal()) suspect_[parity] = true;
  write_overwrites(now.plan.index, parts_.journals[parity]);
  evicted_->note_zeros(now.plan.index);
  held.copied();
  const std::vector<detail::page_run>& released = now.changed.released();
  if (memory_->waits_for_home()) {
    to_settle_ = now.changed.dirty();
    to_settle_.insert(to_settle_.end(), released.begin(), released.end());
  } else {
    // Discarded now, as the program may use these pages again as soon as it goes on.
    for (const detail::page_run& run : released) memory_->pages().discard(run);
  }
}

// Reserves the disk space that can be reserved, so that a full disk fails the checkpoint and not, after the
// commit, its application. Fresh pages and the journal are written before the commit anyway.
void epoch_commit::make_room(const checkpoint_plan& plan, std::uint64_t bytes) {
  early_.extend(bytes);
  for (const detail::page_run& run : plan.holes) parts_.home.reserve_space(run);
  parts_.checksums.reserve_space(plan.touched);
}

// Pages are written from a copy: a thread that writes to a page meanwhile must not make it contradict its
// checksum.
void epoch_commit::write_fresh(std::span<journal_entry> index) {
  const std::byte* const base = memory_->pages().base();
  const auto copied = std::make_unique_for_overwrite<std::byte[]>(batch_pages * page_size);
  const auto is_to_write = [](const journal_entry& entry) {
    return entry.kind == entry_kind::fresh && entry.value == 0;
  };
  const auto next = [&](auto from) { return std::find_if(from, index.end(), is_to_write); };
  for (auto from = next(index.begin()); from != index.end();) {
    const auto is_in_row = [&](const journal_entry& entry) {
      return is_to_write(entry) && entry.page - from->page == static_cast<std::uint64_t>(&entry - &*from);
    };
    const auto most = from + std::min<std::ptrdiff_t>(batch_pages, index.end() - from);
    const std::span<journal_entry> row(from, std::find_if_not(from, most, is_in_row));
    std::byte* to = copied.get();
    for (journal_entry& entry : row) {
      entry.value = copy_page(entry.page, to, base + entry.page * page_size);
      to += page_size;
    }
    early_.begin_fresh({from->page, row.size()}, bytes_ / page_size);
    parts_.home.write(from->page, row.size(), copied.get());
    evicted_->settle_home(row, early_.pages());
    from = next(from + static_cast<std::ptrdiff_t>(row.size()));
  }
}

// What has no checksum yet must be overwritten: fresh pages have got theirs.
void epoch_commit::write_overwrites(std::span<journal_entry> index, journal& to) {
  const std::byte* const base = memory_->pages().base();
  slot_writer slots = evicted_->slots_in(to);
  for (journal_entry& entry : index) {
    if (entry.value != 0) continue;
    const slot_writer::place place = slots.add(entry.page, base + entry.page * page_size);
    entry.value = place.checksum;
    entry.slot = place.slot;
  }
  slots.flush();
}

void epoch_commit::sync_home() noexcept {
  try {
    early_.sync();
  } catch (...) {
    flight_->home_failure = std::current_exception();
  }
}

// ---- step 7 ----------------------------------------------------------------------------------------------

layout::journal_header epoch_commit::write_journal(journal::decision made) {
  flight& now = *flight_;
  const unsigned parity = now.epoch & 1;
  PERDURE_INVARIANT(now.epoch == epoch_ + 1 && now.bytes >= bytes_ && !now.prepared);
  PERDURE_PARANOID_INVARIANT(is_sorted_by_page(now.plan.index));
  suspect_[parity] = true;
  return parts_.journals[parity].commit({now.epoch, now.bytes, draw_identity()}, identity_, now.plan.index,
                                        evicted_->slots(now.plan), now.label, memory_->pages().base(), made);
}

std::uint64_t epoch_commit::prepare() {
  if (flight_->home_failure) std::rethrow_exception(flight_->home_failure);
  // Readers take no undecided journal for a checkpoint, so none of them need wait.
  flight_->prepared = write_journal(journal::decision::pending);
  undecided_by_ = std::this_thread::get_id();
  return flight_->prepared->checkpoint;
}

void epoch_commit::decide() {
  // Readers must not see a checkpoint that fails after all.
  if (!committing_) committing_.emplace(parts_.lock.take_turn(store_lock::part::commit));
  // This may be a second try, after a sync that failed: `decide` writes once more what that sync was to make
  // durable.
  parts_.journals[flight_->epoch & 1].decide(*flight_->prepared);
  count(*flight_->prepared);
}

void epoch_commit::commit() {
  if (flight_->home_failure) std::rethrow_exception(flight_->home_failure);
  committing_.emplace(parts_.lock.take_turn(store_lock::part::commit));
  count(write_journal(journal::decision::made));
}

// The journal counts from now on.
void epoch_commit::count(const layout::journal_header& header) noexcept {
  undecided_by_ = std::thread::id();
  flight& now = *flight_;
  const unsigned parity = now.epoch & 1;
  suspect_[parity] = false;
  committing_.reset();
  evicted_->committed();
  early_.committed();
  bytes_ = now.bytes;
  identity_ = header.checkpoint;
  unapplied_.emplace(committed_journal{&parts_.journals[parity], header, std::move(now.plan.index)});
  epoch_ = now.epoch;
  flight_.reset();
}

void epoch_commit::abandon() noexcept {
  undecided_by_ = std::thread::id();
  changed_ = std::move(flight_->changed);
  flight_.reset();
  try {
    clear_away_failed_attempt();
  } catch (const std::exception&) {
    // The next checkpoint tries again, and goes no further if it cannot.
  }
}

void epoch_commit::leave_undecided() noexcept {
  undecided_by_ = std::thread::id();
  is_left_undecided_ = true;
}

// ---- steps 9 and 10 --------------------------------------------------------------------------------------

void epoch_commit::apply(table_use at_least) {
  const store_lock::turn no_reader = parts_.lock.take_turn(store_lock::part::home);
  apply_in_turn(at_least);
}

void epoch_commit::apply_in_turn(table_use at_least) {
  PERDURE_INVARIANT(unapplied_ && unapplied_->header.epoch == epoch_);
  // After a sync that failed, the pages are written once more.
  redo_at_home(*unapplied_, parts_.home, parts_.checksums);
  const table_use use = is_table_due() ? table_use::write : at_least;
  early_.while_synced(
      [&] { settle_redo(*unapplied_, parts_.home, parts_.checksums, parts_.super, parts_.log, use); });
  evicted_->journal_applied();
  if (use == table_use::write) {
    carrying_.reset();
    carried_bytes_ = 0;
  } else {
    carried_bytes_ += carried_in(unapplied_->index) * sizeof(journal_entry);
    mark_applied(unapplied_->index);
    carrying_ = std::move(unapplied_);
  }
  unapplied_.reset();
  // If pages were written early, only the table was written, and the undo log has before-images of this very
  // epoch.
  if (!early_.pages().empty()) return;
  try {
    parts_.undo.clear();
  } catch (const std::system_error&) {
    // The undo log takes space, but the before-images in it are of an earlier checkpoint and count for
    // nothing.
  }
}

// The table is due once carrying has cost as many bytes as writing it would: so at most twice the least
// possible is paid. So is one whose writing has failed once its stamp was written: the super block must come
// to know that stamp before it is at a later checkpoint.
bool epoch_commit::is_table_due() const {
  const layout::super_slot& super = parts_.super.now();
  if (unapplied_->header.segment_bytes != super.segment_bytes) return true;
  if (parts_.checksums.stamps().has_later_than(super.table_epoch)) return true;
  const std::uint64_t next = unapplied_->index.size() * sizeof(journal_entry);
  return carried_bytes_ + next >= parts_.checksums.changed_table_pages() * layout::block;
}

// No checkpoint may be under way.
void epoch_commit::write_table() {
  if (!carrying_) return;
  unapplied_ = std::exchange(carrying_, std::nullopt);
  apply(table_use::write);
}

void epoch_commit::apply_quietly(table_use at_least) noexcept {
  apply_failure_ = nullptr;
  try {
    if (!memory_->waits_for_home() || at_least == table_use::write) return apply(at_least);
    // The program waits until this has been tried, so it must not wait for readers.
    const std::optional<store_lock::turn> no_reader = parts_.lock.try_turn(store_lock::part::home);
    if (no_reader) apply_in_turn(at_least);
  } catch (...) {
    // The journal has everything, and the next checkpoint applies it.
    apply_failure_ = std::current_exception();
  }
}

void epoch_commit::wait_applied() {
  worker_.wait();
  if (!unapplied_) return;
  if (apply_failure_) std::rethrow_exception(apply_failure_);
  apply();
}

void epoch_commit::settle_memory(std::uint64_t epoch) noexcept {
  // A decision that failed may be tried again.
  if (epoch_ != epoch) return;
  const std::vector<detail::page_run> pages = std::exchange(to_settle_, {});
  if (unapplied_) return;
  try {
    memory_->settle(parts_.home.extents(bytes_), pages);
  } catch (const std::exception&) {
    // The kernel refuses a mapping: the pages keep their private copies, and are written again next time.
  }
}

}  // namespace perdure::store
