// A segment is a reserved range of virtual addresses that never moves while it is open.
// A backing (a class derived from it) decides where its bytes come from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/page_size.hpp"
#include "os/fault_notice.hpp"
#include "os/withheld_memory.hpp"

namespace perdure::detail {

/// Segments start at multiples of this, so that an address tells its segment by one table look-up.
inline constexpr std::size_t segment_alignment = std::size_t{1} << 30;

/// A run of 4 KiB pages of a segment.
struct page_run {
  std::uint64_t first;
  std::uint64_t count;
  bool operator==(const page_run&) const = default;
};

/// Purpose for which the heap needs pages.
enum class page_role { bookkeeping, data };

/// A process's possession of a segment's memory. Forked children of the process that made it may have less
/// than that one.
enum class possession {
  own,      ///< all of it, or a copy that stays as it is
  parents,  ///< memory that its parent works on too: it may read, and must leave the heap in it alone
  nothing,  ///< touching it is a SIGSEGV
};

/// Base of every backing. `[0, size())` is accessible; `[size(), capacity())` is reserved address space.
class segment {
 public:
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;
  virtual ~segment() = default;

  std::byte* base() const noexcept { return base_; }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Bytes that the blocks in the segment may take altogether: `capacity()` unless set, which must happen
  /// before a heap uses the segment.
  std::size_t limit() const noexcept { return limit_ != 0 ? limit_ : capacity_; }
  void set_limit(std::size_t bytes) noexcept { limit_ = bytes; }
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  bool read_only() const noexcept { return read_only_; }
  /// Returns the segment's name in messages: a store's path. Empty unless set, which must happen before other
  /// threads use the segment.
  const std::string& owner() const noexcept { return owner_; }
  void set_owner(std::string name) { owner_ = std::move(name); }
  virtual possession held() const noexcept;
  /// From now on forked children do not have the memory; one that touches it writes `sentence` and gets a
  /// SIGSEGV. Throws std::system_error.
  void withhold_from_children(std::string sentence);
  /// From now on faults in the memory that end the program write these lines, and so do touches of it after
  /// the segment has ended. Throws std::system_error.
  void explain_faults(os::fault_lines lines);

  /// Makes at least `[0, bytes)` accessible; new bytes read as zero. The backing may grow in larger
  /// steps, but `size()` after the call is `bytes` rounded up to 2 MiB (or the old size, if larger).
  /// Thread-safe. Throws `std::bad_alloc` beyond capacity or when the system refuses memory.
  virtual void grow(std::size_t bytes) = 0;

  /// Returns whether pages within `size()` need `commit` before they are used, the first time and after
  /// `discard`.
  bool commits_on_use() const noexcept { return commits_on_use_; }
  /// Makes pages accessible. Pages that were committed before keep their content; that of others is
  /// undefined. Throws `std::bad_alloc` when memory of the segment's sort cannot be had; then no more pages
  /// are committed than were before. Calls of it, and of `discard` where pages need `commit`, must come one
  /// at a time.
  virtual void commit(page_run, page_role) {}

  /// Gives the memory of whole pages back to the system. Their content is undefined until written again.
  /// Thread-safe with respect to other pages, but for segments whose pages need `commit`.
  virtual void discard(page_run pages) = 0;

  /// Throws `damaged` if one of these pages, or of those that are examined with them, is not as it was
  /// written; returns at once if this segment does not examine pages when they are first touched. To be
  /// called before memory that no thread has touched is given to a system call, or is read where damage must
  /// be an exception. Thread-safe.
  virtual void require_sound(page_run) const {}

 protected:
  segment() = default;

  /// Throws `invalid_argument` in a forked child that does not have the memory for itself.
  void require_own() const;

  // To be ended before the memory is unmapped. That range is then free in a forked child.
  std::unique_ptr<os::withheld_memory> withheld_;
  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::atomic<std::size_t> size_{0};
  bool read_only_ = false;
  bool commits_on_use_ = false;

 private:
  std::string owner_;
  std::size_t limit_ = 0;  // bytes; 0: none
  std::optional<os::fault_notice> notice_;
};

}  // namespace perdure::detail
