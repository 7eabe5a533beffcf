// The pager: pages come at the first touch and go when the budget is used up, for each tier that keeps a
// budget.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <perdure/pager.hpp>
#include <span>

#include "base/owner_process.hpp"
#include "os/mapping.hpp"
#include "pager/eviction.hpp"
#include "pager/evictor.hpp"
#include "pager/fault_handler.hpp"
#include "pager/hand_over.hpp"
#include "pager/mapped_file.hpp"
#include "pager/page_budget.hpp"
#include "pager/page_cleaner.hpp"
#include "pager/page_faults.hpp"
#include "pager/page_loader.hpp"
#include "pager/page_pins.hpp"
#include "pager/page_source.hpp"
#include "pager/read_ahead.hpp"
#include "pager/region_pages.hpp"
#include "pager/replacement.hpp"

namespace perdure::pager::detail {

/// Puts the parts of the pager together, and does with them what the program asks for.
class budgeted_mapping : public mapped_file {
 public:
  /// `bytes` are the program's; the last page may be longer. In `place`, if it is one, else where there is
  /// room.
  budgeted_mapping(std::unique_ptr<page_source> source, std::size_t bytes, const options& wanted,
                   std::unique_ptr<page_faults> faults, pager::tier tier, os::reservation place = {});
  ~budgeted_mapping() override;

  std::byte* data() const noexcept override { return memory_.base(); }
  std::size_t size() const noexcept override { return bytes_; }
  void flush() override;
  void prefetch(std::span<const byte_range> ranges) override;
  void pin(byte_range range, pin_for use) override;
  void unpin(byte_range range) noexcept override;
  void advise(byte_range range, advice what) override;
  void hand_over(bool shared) override;
  pager::statistics statistics() const override;
  pager::tier tier() const noexcept override { return hand_over_.is_done() ? pager::tier::plain : tier_; }
  bool is_direct() const noexcept override { return pages_.source.is_direct(); }
  std::optional<pager::failure> failure() const override { return pages_.log.first(); }

 protected:
  /// To be called first by the destructor that ends the region, while what the source needs is there.
  void stop_threads() noexcept;

  const os::reservation& memory() const noexcept { return memory_; }
  region_pages& pages() noexcept { return pages_; }
  const region_pages& pages() const noexcept { return pages_; }
  page_budget& budget() noexcept { return budget_; }
  evictor& room() noexcept { return evictor_; }

 private:
  void require_this_process() const;
  void require_sound_device() const;
  [[noreturn]] void throw_failed(const failed_transfer& failed);
  std::optional<failed_transfer> load(std::span<const byte_range> ranges) noexcept;
  eviction_result evict(page_span span) noexcept;

  const std::unique_ptr<page_source> source_;
  const std::size_t bytes_;
  const mode mode_;
  const pager::tier tier_;
  std::atomic<int> sync_error_{0};
  // In a forked child neither the range nor the threads are there, and what lies at the region's
  // addresses does not concern this object.
  base::owner_process owner_;
  // The parts, in the order in which they need each other.
  os::reservation memory_;
  std::unique_ptr<page_faults> faults_;
  region_pages pages_;
  page_budget budget_;
  replacement order_;
  page_cleaner cleaner_;
  eviction eviction_;
  evictor evictor_;
  page_loader loader_;
  read_ahead read_ahead_;
  detail::hand_over hand_over_;
  fault_handler fault_handler_;
  page_pins pins_;
};

}  // namespace perdure::pager::detail
