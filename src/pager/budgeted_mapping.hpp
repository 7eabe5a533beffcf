// The pager: pages come at the first touch and go when the budget is used up, all decided here, for each tier
// that keeps a budget.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/pager.hpp>
#include <span>

#include "os/memory_faults.hpp"
#include "pager/density_detector.hpp"
#include "pager/fault_log.hpp"
#include "pager/mapped_file.hpp"
#include "pager/page_faults.hpp"
#include "pager/page_queues.hpp"
#include "pager/page_source.hpp"
#include "pager/page_states.hpp"
#include "pager/pending_reads.hpp"
#include "pager/residence.hpp"
#include "pager/scratch_pool.hpp"
#include "pager/store_forecast.hpp"
#include "pager/stream_detector.hpp"

namespace perdure::pager::detail {

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
  pager::tier tier() const noexcept override { return is_given_away() ? pager::tier::plain : tier_; }
  bool is_direct() const noexcept override { return file_.is_direct(); }
  std::optional<pager::failure> failure() const override { return log_.first(); }

 protected:
  // Claimed to be read in one go, as the first of a thread's `loads`.
  struct claimed_runs {
    std::size_t runs = 0;
    std::size_t pages = 0;
  };
  struct eviction {
    std::size_t evicted = 0;
    std::optional<failed_transfer> failed;
  };
  enum class by { touch, evictor, advice };
  enum class taking { all, cold };

  static constexpr std::size_t most_runs_of_area = pages_of_area / 2;

  page_span pages_of(byte_range range) const noexcept;
  std::byte* address_of(page_number page) const noexcept { return memory_.base() + page * page_size; }

  /// Where protected pages cannot be read, whatever is touched becomes writable too.
  os::touch in_effect(os::touch how) const noexcept {
    return mode_ != mode::read_only && faults_->hides_protected() ? os::touch::store : how;
  }
  static bool on_touch(void* self, std::byte* address, os::touch how) noexcept;
  std::optional<failed_transfer> bring_in(page_number page, os::touch how) noexcept;
  std::optional<failed_transfer> load(page_span run, page_number touched, os::touch how,
                                      scratch& own) noexcept;
  std::optional<failed_transfer> load_all(std::span<page_transfer> runs, std::optional<page_number> touched,
                                          os::touch how, scratch& own) noexcept;
  std::optional<failed_transfer> settle_loaded(page_span run, std::optional<page_number> touched,
                                               os::touch how, const std::byte* from, scratch& own) noexcept;
  int install(page_span run, page_span writable, const std::byte* from) noexcept;
  claimed_runs claim_around(page_number page, bool reads_ahead, const stream& found, scratch& own) noexcept;
  std::size_t window_of(const stream& found) const noexcept;
  bool asks_ahead(const stream& found) const noexcept;
  void expect_more(const stream& found, page_span run) noexcept;
  bool ask_ahead(const stream& found, page_number next, page_number touched) noexcept;
  std::size_t claim_absent_before(page_number last, std::size_t most) noexcept;
  std::size_t claim_absent_after(page_number first, std::size_t most) noexcept;
  bool claim_absent(page_number page, bool spilled) noexcept;
  void claim_absent(page_span& rest, std::size_t most, std::size_t longest, scratch& own,
                    claimed_runs& to) noexcept;
  void abandon(page_span run) noexcept;
  std::optional<failed_transfer> make_writable(page_number page) noexcept;

  std::optional<failed_transfer> make_room(std::size_t pages, scratch& own) noexcept;
  void call_evictor() noexcept;
  eviction evict(std::size_t wanted, scratch& own, by whom) noexcept;
  void expel(std::span<page_number> owned, scratch& own, by whom, eviction& result) noexcept;
  std::size_t clean(std::span<const page_number> owned, scratch& own, bool are_queued,
                    eviction& result) noexcept;
  void discard(std::span<const page_number> sorted, scratch& own) noexcept;
  bool hold_stores(page_transfer& run) noexcept;
  void write_held(std::span<page_transfer> runs, scratch& own) noexcept;
  std::optional<failed_transfer> take_dirty(page_span area, taking what, scratch& own,
                                            std::size_t& runs) noexcept;
  std::optional<failed_transfer> write_taken(std::size_t runs, scratch& own) noexcept;
  void clean_areas_of(std::span<const page_number> victims, scratch& own, eviction& result) noexcept;
  std::optional<failed_transfer> write_dirty() noexcept;
  std::optional<failed_transfer> pin_page(page_number page, os::touch how, bool* is_first) noexcept;

  static void* read_in_background(void* self) noexcept;
  void read_ahead() noexcept;
  static void* evict_in_background(void* self) noexcept;
  void keep_room() noexcept;

  /// To be called first by who ends the region, while what the source needs is there.
  void stop_threads() noexcept;
  bool has_evictor() const noexcept { return least_free_ != 0; }
  void note_dirty(page_number page) noexcept {
    // Not a plain store: who takes the note must see whose state had changed before it was made.
    if (dirty_parts_ != nullptr) dirty_parts_[page / pages_of_part].exchange(true, std::memory_order_acq_rel);
  }

  static constexpr std::size_t pages_of_part = 512;

  std::unique_ptr<page_source> owned_;
  page_source& file_;
  const std::size_t bytes_;
  const mode mode_;
  const pager::tier tier_;
  const std::size_t budget_;         // pages
  const std::size_t least_free_;     // below it the evictor is called; 0: there is none
  const std::size_t wanted_free_;    // above it the evictor rests
  const std::size_t most_together_;  // pages that one touch may bring in
  const std::size_t most_asked_;     // pages that others are asked for in one go
  fault_log log_;

  os::reservation page_table_memory_;
  page* pages_;
  std::atomic<bool>* dirty_parts_ = nullptr;  // where pages were made dirty, for who wants to know
  page_queues queues_;
  residence_clock clock_;
  scratch_pool scratches_;
  stream_detector streams_;
  density_detector density_;
  store_forecast forecast_;
  std::atomic<bool> reads_ahead_{true};
  pending_reads pending_;

  alignas(64) std::atomic<std::size_t> resident_{0};  // pages in memory, or promised to a thread
  std::atomic<std::size_t> most_resident_{0};
  std::atomic<std::size_t> pinned_{0};
  std::atomic<int> sync_error_{0};

  alignas(64) os::futex_word evictor_calls_{0};
  std::atomic<bool> evictor_rests_{false};
  std::atomic<bool> evictor_ends_{false};
  bool evictor_runs_ = false;
  pthread_t evictor_{};
  // Where only the evictor writes, others wait for what it makes; where it cannot, they take more than there
  // is, so that the program lives to be told.
  os::futex_word evictor_done_{0};
  std::atomic<int> write_error_{0};  // of the evictor's last turn: an errno
  std::atomic<bool> drains_{false};  // all that can leave memory shall
  // Some install what they have read while what others asked the device for is on its way.
  std::array<pthread_t, 4> readers_{};
  std::size_t reader_count_ = 0;
  os::reservation read_ahead_memory_;
  std::atomic<std::size_t> read_ahead_buffers_taken_{0};

  // In a forked child the range is not there, nor the evictor, and whatever lies at its addresses is nobody's
  // business here. This byte reads as zero there.
  os::reservation presence_;
  os::reservation memory_;
  std::unique_ptr<page_faults> faults_;
  std::optional<os::fault_watch> watch_;

  static constexpr std::uint32_t not_handed_over = 0;
  static constexpr std::uint32_t being_handed_over = 1;
  static constexpr std::uint32_t handed_over = 2;
  os::futex_word handing_over_{not_handed_over};
  bool is_given_away() const noexcept { return handing_over_.load() == handed_over; }
  std::uint32_t handing_over_done() const noexcept;

  void require_this_process() const;
  bool is_in_this_process() const noexcept { return *presence_.base() != std::byte{0}; }
};

}  // namespace perdure::pager::detail
