// Evicted pages of a paged store's writer, of which some are in the journal of the epoch to come.
#pragma once

#include <optional>

#include "store/backing/paged_segment.hpp"
#include "store/commit/evicted_pages.hpp"
#include "store/commit/journaled_pages.hpp"

namespace perdure::store {

class journaled_evictions final : public evicted_pages {
 public:
  /// For a store of so many pages, whose epoch to come has a journal of this parity. `segment` must be set
  /// before other threads use it, and outlive it.
  journaled_evictions(std::uint64_t pages, unsigned parity) : table_(pages, parity) {}
  void attach(paged_segment& memory) noexcept { memory_ = &memory; }

  /// Which pages are in a journal.
  journaled_pages& table() noexcept { return table_; }
  const journaled_pages& table() const noexcept { return table_; }

  checkpoint_plan plan(const detail::segment& memory, const changed_pages& changed, const early_pages& early,
                       const committed_state& before) const override;
  void empty_home(journal_index index, const early_pages& early, home_files& home) override;
  void settle_home(journal_index written, early_pages& early) override;
  slot_writer slots_in(journal& to) override { return slot_writer(to, &table_); }
  void note_zeros(journal_index index) override;
  std::uint64_t slots(const checkpoint_plan&) const noexcept override { return table_.slots(); }
  bool may_be_in_journal() const noexcept override { return true; }
  std::vector<journal::kept_page> only_in_journal() const override;
  void committed() noexcept override { table_.commit(); }
  void journal_applied() noexcept override;
  void journal_replaced(unsigned parity, const journal& file) override {
    memory_->home().journal_replaced(parity, file);
  }
  void home_extended() override { memory_->home().home_extended(); }

 private:
  journaled_pages table_;
  paged_segment* memory_ = nullptr;
};

}  // namespace perdure::store
