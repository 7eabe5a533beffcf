// The memory of a store in a private mapping of its home files.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/background_worker.hpp"
#include "segment/private_segment.hpp"
#include "store/backing/early_writer.hpp"
#include "store/backing/memory_watch.hpp"
#include "store/backing/store_memory.hpp"
#include "store/commit/epoch_commit.hpp"
#include "store/commit/store_parts.hpp"

namespace perdure::store {

class private_memory final : public store_memory {
 public:
  /// For a reader, of `bytes` of the segment. Takes the place from `parts`, which must outlive it.
  private_memory(store_parts& parts, std::uint64_t bytes, detail::page_use use);
  /// For a writer.
  private_memory(store_parts& parts, epoch_commit& commit, base::background_worker& worker);

  detail::segment& pages() noexcept override { return memory_; }
  void hold() override;
  void collect(changed_pages& changed, early_pages& early) override;
  void release(std::span<const detail::page_run> pages) override;
  void punched(std::span<const detail::page_run> pages) override;
  bool waits_for_home() const noexcept override { return !memory_.rearms(); }
  void settle(std::span<const detail::file_extent> home, std::span<const detail::page_run> pages) override;
  void let_go() noexcept override;
  evicted_pages& evicted() noexcept override { return none_evicted_; }

  std::string tracker() const override { return std::string(memory_.tracker()); }
  void seal() override { memory_.seal(); }
  void examine_when_touched(lazy_verifier& verifier) override;
  void take_up(const committed_journal& pending) override;
  void begin_early_writing() override;
  void trim() override;
  void end_early_writing() noexcept override { watch_.reset(); }
  void forget_threads() noexcept override { static_cast<void>(watch_.release()); }
  bool write_through(detail::page_run pages, const std::byte* from, std::uint32_t* of_bytes) override;
  void settle_written(detail::page_run pages) override;
  bool read_through(detail::page_run pages, std::byte* to) override;
  bool read_scattered(std::span<const detail::page_run> pages, std::span<std::byte* const> to) override;

 private:
  void watch_memory() noexcept;
  bool give_up_pages(const memory_watch& watch) noexcept;
  void collapse_later(detail::page_run filled) noexcept;
  void trim_part(detail::page_run part, write_brake& brake);

  store_parts& parts_;
  no_evicted_pages none_evicted_;
  epoch_commit* commit_ = nullptr;
  base::background_worker* worker_ = nullptr;
  detail::private_segment memory_;
  lazy_verifier* verifier_ = nullptr;
  // Held while a checkpoint copies, if what is written meanwhile would be dropped with the private copies.
  std::unique_lock<std::mutex> no_growth_;
  std::optional<detail::write_pause> no_stores_;
  std::atomic<bool> has_unsynced_{false};  // pages that are in no memory but the page cache's
  std::uint64_t next_trimmed_ = 0;         // page; where the next part to be trimmed begins
  std::unique_ptr<memory_watch> watch_;
};

}  // namespace perdure::store
