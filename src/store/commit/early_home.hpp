// Pages of home that the last checkpoint does not have: those written there for the epoch to come.
#pragma once

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "store/commit/checkpoint_plan.hpp"
#include "store/commit/early_pages.hpp"
#include "store/commit/evicted_pages.hpp"
#include "store/file/home_files.hpp"

namespace perdure::store {

/// Not thread-safe: to be used in a turn of the commit, or by its worker.
class early_home {
 public:
  /// Home of the store of that name; both must outlive it.
  early_home(home_files& home, const std::filesystem::path& store) : home_(home), store_(store) {}
  void attach(evicted_pages& evicted) noexcept { evicted_ = &evicted; }

  early_pages& pages() noexcept { return pages_; }
  const early_pages& pages() const noexcept { return pages_; }

  /// Makes home at least so long.
  void extend(std::uint64_t bytes);
  /// To be called before a checkpoint writes `fresh` pages in place, which may fail half way. The last
  /// checkpoint has `committed` pages.
  void begin_fresh(detail::page_run fresh, std::uint64_t committed);
  /// Punches those of the `released` pages that were written early and that the last checkpoint does not
  /// need: their space may be what a full disk lacks. Applying the journal punches them once more. Returns
  /// the pages that were punched.
  std::vector<detail::page_run> give_back(std::span<const detail::page_run> released,
                                          const committed_state& before);
  /// Makes durable what was written home. Throws what the device says; then `clear_away` finds out what of it
  /// is lost.
  void sync();
  /// Calls `settle`, which syncs home. If it throws, no later sync tells whether the pages here are durable.
  template <class Settle>
  void while_synced(Settle&& settle) {
    const bool was_unsure = std::exchange(is_unsure_, true);
    std::forward<Settle>(settle)();
    is_unsure_ = was_unsure;
  }
  /// Clears away what a failed checkpoint has left, and writes again what a failed sync may have lost. Throws
  /// `io` if a page is lost that is nowhere else.
  void clear_away();
  /// The epoch is committed: home has it.
  void committed() noexcept;

 private:
  void write_settled_again();

  home_files& home_;
  const std::filesystem::path& store_;
  evicted_pages* evicted_ = nullptr;
  early_pages pages_;
  bool is_unsure_ = false;  // a sync of home has failed since they were written
  // Written by the checkpoint under way beyond the committed length, where home was empty.
  std::vector<detail::page_run> spent_tail_;
};

}  // namespace perdure::store
