// The pager: pages come at the first touch and go when the budget is used up, all decided here.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/pager.hpp>
#include <span>

#include "os/memory_faults.hpp"
#include "pager/fault_log.hpp"
#include "pager/file_io.hpp"
#include "pager/mapped_file.hpp"
#include "pager/page_queues.hpp"
#include "pager/page_states.hpp"
#include "pager/residence.hpp"
#include "pager/scratch_pool.hpp"
#include "pager/stream_detector.hpp"
#include "pager/user_faults.hpp"

namespace perdure::pager::detail {

class uffd_mapping final : public mapped_file {
 public:
  uffd_mapping(file_io&& file, const options& wanted);
  ~uffd_mapping() override;

  std::byte* data() const noexcept override { return memory_.base(); }
  std::size_t size() const noexcept override { return static_cast<std::size_t>(file_.size()); }
  void flush() override;
  void prefetch(std::span<const byte_range> ranges) override;
  void pin(byte_range range, pin_for use) override;
  void unpin(byte_range range) noexcept override;
  void advise(byte_range range, advice what) override;
  pager::statistics statistics() const override;
  pager::tier tier() const noexcept override { return pager::tier::uffd_sigbus; }
  bool is_direct() const noexcept override { return file_.is_direct(); }
  std::optional<pager::failure> failure() const override { return log_.first(); }

 private:
  struct page_span {
    page_number first;
    std::size_t count;
  };
  struct eviction {
    std::size_t evicted = 0;
    std::optional<failed_transfer> failed;
  };
  enum class by { touch, evictor, advice };

  page_span pages_of(byte_range range) const noexcept;
  std::byte* address_of(page_number page) const noexcept { return memory_.base() + page * page_bytes; }

  static bool on_touch(void* self, std::byte* address, os::touch how) noexcept;
  std::optional<failed_transfer> bring_in(page_number page, os::touch how) noexcept;
  std::optional<failed_transfer> load(page_span run, os::touch how, scratch& own) noexcept;
  std::optional<failed_transfer> load_all(std::span<page_run> runs, scratch& own) noexcept;
  std::optional<failed_transfer> settle_loaded(page_span run, os::touch how, bool is_touched,
                                               const std::byte* from, scratch& own) noexcept;
  int install(page_span run, os::touch how, const std::byte* from) noexcept;
  std::size_t claim_absent_after(page_number first, std::size_t most) noexcept;
  void abandon(page_span run) noexcept;
  std::optional<failed_transfer> make_writable(page_number page) noexcept;

  std::optional<failed_transfer> make_room(std::size_t pages, scratch& own) noexcept;
  void call_evictor() noexcept;
  eviction evict(std::size_t wanted, scratch& own, by whom) noexcept;
  void expel(std::span<page_number> owned, scratch& own, by whom, eviction& result) noexcept;
  std::size_t clean(std::span<const page_number> owned, scratch& own, bool are_queued,
                    eviction& result) noexcept;
  void discard(std::span<const page_number> sorted, scratch& own) noexcept;
  bool hold_stores(page_run& run) noexcept;
  void write_held(std::span<page_run> runs, scratch& own) noexcept;
  std::optional<failed_transfer> write_dirty() noexcept;
  std::optional<failed_transfer> pin_page(page_number page, os::touch how, bool* is_first) noexcept;

  static void* evict_in_background(void* self) noexcept;
  void keep_room() noexcept;

  file_io file_;
  const mode mode_;
  const std::size_t budget_;         // pages
  const std::size_t least_free_;     // below it the evictor is called; 0: there is none
  const std::size_t wanted_free_;    // above it the evictor rests
  const std::size_t most_together_;  // pages that one touch may bring in
  fault_log log_;
  os::file self_;  // a pidfd, to evict many ranges in one call
  bool evicts_in_batches_ = false;

  os::reservation page_table_memory_;
  page* pages_;
  page_queues queues_;
  residence_clock clock_;
  scratch_pool scratches_;
  stream_detector streams_;
  std::atomic<bool> reads_ahead_{true};

  alignas(64) std::atomic<std::size_t> resident_{0};  // pages in memory, or promised to a thread
  std::atomic<std::size_t> most_resident_{0};
  std::atomic<std::size_t> pinned_{0};
  std::atomic<int> sync_error_{0};

  alignas(64) os::futex_word evictor_calls_{0};
  std::atomic<bool> evictor_rests_{false};
  std::atomic<bool> evictor_ends_{false};
  pthread_t evictor_{};

  // In a forked child the range is not there, nor the evictor, and whatever lies at its addresses is nobody's
  // business here. This byte reads as zero there.
  os::reservation presence_;
  os::reservation memory_;
  user_faults faults_;
  std::optional<os::fault_watch> watch_;

  void require_this_process() const;
  bool is_in_this_process() const noexcept { return *presence_.base() != std::byte{0}; }
};

}  // namespace perdure::pager::detail
