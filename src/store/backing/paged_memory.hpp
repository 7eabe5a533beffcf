// The memory of a store of which a bounded number of pages is in memory at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "store/backing/direct_writer.hpp"
#include "store/backing/journaled_evictions.hpp"
#include "store/backing/paged_home.hpp"
#include "store/backing/paged_segment.hpp"
#include "store/backing/store_memory.hpp"
#include "store/commit/epoch_commit.hpp"
#include "store/commit/slot_writer.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// Changed pages leave memory in turns of the commit: for home, if the last checkpoint does not need what is
/// there, and else for the journal of the checkpoint to come.
class paged_memory final : public store_memory, private page_writer {
 public:
  /// For a reader, of `bytes` of the segment. Takes the place from `parts`, which must outlive it.
  paged_memory(store_parts& parts, std::uint64_t bytes, detail::page_use use);
  /// For a writer.
  paged_memory(store_parts& parts, epoch_commit& commit);

  detail::segment& pages() noexcept override { return *memory_; }
  void collect(changed_pages& changed, early_pages& early) override;
  void release(std::span<const detail::page_run> pages) override;
  void copied() noexcept override { release_held(true); }
  void let_go() noexcept override { release_held(false); }
  bool recollects() const noexcept override { return true; }
  evicted_pages& evicted() noexcept override { return *evicted_; }
  void require_none_lost() const override;

  std::string tracker() const override { return "pager"; }
  void seal() override { memory_->seal(); }
  void examine_when_touched(lazy_verifier& verifier) override;
  void take_up(const committed_journal& pending) override;
  void begin_early_writing() override {}
  void trim() override;
  void end_early_writing() noexcept override { memory_->pages().stop_threads(); }
  void forget_threads() noexcept override {}
  std::optional<pager::statistics> paging() const override { return memory_->pages().statistics(); }
  bool write_through(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes) override;
  bool read_through(detail::page_run pages, std::byte* to) override;
  bool read_scattered(std::span<const detail::page_run> pages, std::span<std::byte* const> to) override;

 private:
  // Pages that leave memory, as the pager hands them over.
  using leaving_run = pager::detail::page_transfer;

  pager::pin pin_in_memory(detail::page_run pages, pager::pin_for use) override;
  void bring_in(detail::page_run pages) override;
  int in_turn(void (*work)(void*), void* context) noexcept override;
  bool goes_to_journal(std::uint64_t page) noexcept override;
  void write(std::span<leaving_run> runs, void (*failed)(leaving_run&, int)) noexcept override;
  void write(const leaving_run& one, std::optional<slot_writer>& slots);
  void write_home(detail::page_run pages, const std::byte* from);
  void empty_home(detail::page_run pages);
  void release_held(bool are_written) noexcept;
  void write_occupied(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes,
                      direct_writer& writer);

  journaled_pages& journaled() noexcept { return evicted_->table(); }

  store_parts& parts_;
  epoch_commit* commit_ = nullptr;
  bool is_all_home_ = false;                    // no page has other bytes in memory than at home
  std::optional<journaled_evictions> evicted_;  // only of a writer
  std::unique_ptr<paged_segment> memory_;
  lazy_verifier* verifier_ = nullptr;
  bool holds_ = false;  // whether pages are held, since `collect`
};

}  // namespace perdure::store
