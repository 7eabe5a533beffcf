// The backing of a region: where its pages are read from and written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "os/parallel_io.hpp"
#include "pager/fault_log.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

/// Neighbouring pages that are in the same place, and the memory they are read to or written from.
struct page_transfer {
  page_number first = 0;
  std::size_t count = 0;
  bool spilled = false;
  std::byte* memory = nullptr;
  std::optional<failed_transfer> failed{};
  bool is_protected = false;  ///< threads that write to it wait
};

/// Each page is in one of two places: where it is for good, or where it was *spilled* to. All functions
/// that are noexcept are async-signal-safe, unless they say otherwise.
class page_source {
 public:
  page_source() = default;
  page_source(const page_source&) = delete;
  page_source& operator=(const page_source&) = delete;
  virtual ~page_source() = default;

  virtual std::size_t pages() const noexcept = 0;
  /// Pages that may be touched by now; the pager reads nothing behind them ahead.
  virtual std::size_t open_pages() const noexcept { return pages(); }
  /// For messages.
  virtual std::string name() const = 0;
  /// Where a page is in what `name` names; for messages.
  virtual std::uint64_t offset_of(page_number page) const noexcept { return std::uint64_t{page} * page_size; }
  /// The file that the kernel could map in the region's place; -1 if there is none.
  virtual int descriptor() const noexcept { return -1; }
  /// Returns whether pages are read past the page cache.
  virtual bool is_direct() const noexcept = 0;

  /// Reads whole pages, from where pages are spilled to or from their place for good. Bytes that were never
  /// written are zero. `to` is aligned to a page.
  virtual std::optional<failed_transfer> read(page_number first, std::size_t count, bool spilled,
                                              std::byte* to) const noexcept = 0;
  /// Reads each run as `read` would; on a device that can, all at a time. Calls `done(run)` after each, with
  /// `failed` set. There must be as many requests as runs. Async-signal-safe as far as `done` is.
  template <class Done>
  void read_all(std::span<page_transfer> runs, os::parallel_io& io, std::span<os::transfer_request> requests,
                Done&& done) const noexcept {
    read_each(
        runs, io, requests,
        [](void* context, page_transfer& run) {
          (*static_cast<std::remove_reference_t<Done>*>(context))(run);
        },
        &done);
  }

  /// Returns whether the page will be in the other place once it is written.
  virtual bool spills(page_number page) const noexcept = 0;
  /// Writes each run where `spills` said. Sets `failed` of each. There must be as many requests as runs.
  virtual void write_all(std::span<page_transfer> runs, os::parallel_io& io,
                         std::span<os::transfer_request> requests) noexcept = 0;
  /// Makes what was written durable. Throws std::system_error.
  virtual void sync() = 0;

  /// Bytes that are in the page cache because this region has transferred them are of no more use.
  virtual void drop_cached() const noexcept = 0;

  /// Returns whether only one thread at a time can write pages, in a turn. That thread is in no signal
  /// handler, so the source may wait and allocate in it.
  virtual bool writes_in_turns() const noexcept { return false; }
  /// Calls `work()`, which must not throw, in a turn. If it returns a failure, nothing can be written now,
  /// and `work` was not called.
  template <class Work>
  std::optional<failed_transfer> in_turn(Work&& work) noexcept {
    return take_turn([](void* context) { (*static_cast<std::remove_reference_t<Work>*>(context))(); }, &work);
  }

 protected:
  virtual std::optional<failed_transfer> take_turn(void (*work)(void*), void* context) noexcept {
    work(context);
    return std::nullopt;
  }
  using arrival = void (*)(void* context, page_transfer& run);
  virtual void read_each(std::span<page_transfer> runs, os::parallel_io& io,
                         std::span<os::transfer_request> requests, arrival done,
                         void* context) const noexcept = 0;
};

}  // namespace perdure::pager::detail
