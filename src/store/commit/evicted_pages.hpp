// Pages that have left memory before a checkpoint, and what it must know of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "segment/segment.hpp"
#include "store/commit/changed_pages.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/slot_writer.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"

namespace perdure::store {

/// Pages that memory has evicted since the last checkpoint: to home, or to the journal of the epoch to come.
/// Its null twin is `no_evicted_pages`. Not thread-safe: the commit calls in its turn.
class evicted_pages {
 public:
  using journal_index = std::span<const layout::journal_entry>;

  evicted_pages() = default;
  evicted_pages(const evicted_pages&) = delete;
  evicted_pages& operator=(const evicted_pages&) = delete;
  virtual ~evicted_pages() = default;

  /// Plans a checkpoint of the changed pages and of the evicted ones.
  virtual checkpoint_plan plan(const detail::segment& memory, const changed_pages& changed,
                               const early_pages& early, const committed_state& before) const = 0;
  /// Punches at home the pages that were evicted to it and are empty by now: their space may be what a full
  /// disk lacks.
  virtual void empty_home(journal_index index, const early_pages& early, home_files& home) = 0;
  /// The checkpoint under way has written these pages home: memory may evict them without writing them again.
  virtual void settle_home(journal_index written, early_pages& early) = 0;
  /// Gives out slots in the journal of the epoch to come.
  virtual slot_writer slots_in(journal& to) = 0;
  /// The checkpoint under way makes the pages of `zero` entries empty. Until they are punched at home, no
  /// thread may read their old content there.
  virtual void note_zeros(journal_index index) = 0;
  /// Number of slots of the journal that the plan's pages and the evicted ones take.
  virtual std::uint64_t slots(const checkpoint_plan& plan) const noexcept = 0;

  /// Returns whether the journal of the epoch to come may hold pages that are nowhere else.
  virtual bool may_be_in_journal() const noexcept = 0;
  /// Pages that are only there.
  virtual std::vector<journal::kept_page> only_in_journal() const = 0;

  /// The running epoch is committed, and the next begins.
  virtual void committed() noexcept = 0;
  /// The pages in the last epoch's journal are home, and that journal will be written over.
  virtual void journal_applied() noexcept = 0;
  /// Another file has taken the place of the journal.
  virtual void journal_replaced(unsigned parity, const journal& file) = 0;
  /// Home has become longer.
  virtual void home_extended() = 0;
};

/// For memory whose changed pages stay in it until a checkpoint has copied them, or until they are durable at
/// home (`early_pages`).
class no_evicted_pages final : public evicted_pages {
 public:
  checkpoint_plan plan(const detail::segment& memory, const changed_pages& changed, const early_pages& early,
                       const committed_state& before) const override {
    return plan_checkpoint(memory.base(), changed.to_write(), changed.released(), early, nullptr, before);
  }
  void empty_home(journal_index, const early_pages&, home_files&) override {}
  void settle_home(journal_index, early_pages&) override {}
  slot_writer slots_in(journal& to) override { return slot_writer(to, nullptr); }
  void note_zeros(journal_index) override {}
  std::uint64_t slots(const checkpoint_plan& plan) const noexcept override { return plan.overwrites; }
  bool may_be_in_journal() const noexcept override { return false; }
  std::vector<journal::kept_page> only_in_journal() const override { return {}; }
  void committed() noexcept override {}
  void journal_applied() noexcept override {}
  void journal_replaced(unsigned, const journal&) override {}
  void home_extended() override {}
};

}  // namespace perdure::store
