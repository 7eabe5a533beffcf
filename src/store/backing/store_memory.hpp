// The memory of an open store, as the store sees it: what checkpoints need from it, and what programs ask
// for.
#pragma once

#include <optional>
#include <perdure/pager.hpp>
#include <string>

#include "store/backing/lazy_verifier.hpp"
#include "store/commit/epoch_memory.hpp"
#include "store/commit/redo.hpp"

namespace perdure::store {

class store_memory : public epoch_memory {
 public:
  virtual std::string tracker() const = 0;
  /// Ends the time in which a reader's memory may be written (for the replay of a journal).
  virtual void seal() = 0;
  /// Has the verifier, which must outlive the memory, examine each extent before any other thread sees it.
  virtual void examine_when_touched(lazy_verifier& verifier) = 0;

  // For a writer:

  /// The last epoch is committed and not home: its pages must be read from its journal. To be called before
  /// the program knows the memory.
  virtual void take_up(const committed_journal& pending) = 0;
  /// From here on changed pages may be written early, to save memory.
  virtual void begin_early_writing() = 0;
  /// Writes all changed pages and gives up the memory of all pages. Takes turns of the commit.
  virtual void trim() = 0;
  /// Ends the threads that take turns of the commit. In a forked child, where they do not exist, forgets
  /// them.
  virtual void end_early_writing() noexcept = 0;
  virtual void forget_threads() noexcept = 0;

  // What `datastore::pin` and `prefetch` do, for pages of the segment.

  pager::pin pin(detail::page_run wanted, pager::pin_for use) {
    if (wanted.count == 0) return {};
    // Examined now, as the kernel does not wait for an examination either.
    pages().require_sound(wanted);
    return pin_in_memory(wanted, use);
  }
  void prefetch(detail::page_run wanted) {
    if (wanted.count != 0) bring_in(wanted);
  }
  virtual std::optional<pager::statistics> paging() const { return std::nullopt; }

  // What `datastore::copy_in` and `copy_out` do with whole pages.

  /// Makes these pages hold other bytes, which are written home where the last checkpoint does not need what
  /// home has, and gives the checksum of each page's bytes alone (`os::crc32c`). False: nothing was done, and
  /// the caller should store them to memory.
  virtual bool write_through(detail::page_run, const std::byte*, std::uint32_t*) { return false; }
  /// Settles pages that were written past memory and are not durable. They could come back with old content
  /// if a write-back fails. Returns when these pages cannot. Throws `io` where one has been lost.
  virtual void settle_written(detail::page_run) {}
  /// Copies what these pages hold, from home where memory has no copy of them. False: nothing was done.
  virtual bool read_through(detail::page_run, std::byte*) { return false; }
  /// Copies pages that lie anywhere, each run to the place of the same number. False: nothing was copied.
  virtual bool read_scattered(std::span<const detail::page_run>, std::span<std::byte* const>) {
    return false;
  }

 private:
  // For paged memory; other memory has nothing to do.
  virtual pager::pin pin_in_memory(detail::page_run pages, pager::pin_for use);
  virtual void bring_in(detail::page_run pages);
};

inline pager::pin store_memory::pin_in_memory(detail::page_run, pager::pin_for) {
  return {};
}
inline void store_memory::bring_in(detail::page_run) {}

}  // namespace perdure::store
