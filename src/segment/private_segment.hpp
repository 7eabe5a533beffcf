// The default backing of a store: a private mapping of the home files, anonymous memory beyond them.
//
// The kernel never writes any of its pages to a file, so the store alone decides what becomes durable, and
// when. A page tracker finds the pages that the program has written to.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/owner_process.hpp"
#include "os/file_extents.hpp"
#include "os/guarded_range.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "segment/file_extent.hpp"
#include "segment/home_examiner.hpp"
#include "segment/home_mapping.hpp"
#include "segment/tracked_segment.hpp"

namespace perdure::detail {

/// Use of the pages that the program writes to.
enum class page_use {
  tracked,  ///< found by `collect_dirty`
  dropped,  ///< they are the segment's own until it is destroyed; there is no tracker
  none,     ///< there are none: the segment is writable only until `seal`
};

class private_segment final : public tracked_segment {
 public:
  /// Maps `home` from the segment's start; its total is the segment's first size. Throws std::system_error.
  private_segment(os::reservation memory, std::span<const file_extent> home, page_use use,
                  os::mapped_medium medium = os::mapped_medium::page_cache);
  ~private_segment() override;

  void grow(std::size_t bytes) override;
  void discard(page_run pages) override;
  void require_sound(page_run pages) const override;

  /// Calls `notice` once, when the segment is or becomes larger than so many bytes. The thread that makes it
  /// grow calls, so it must be quick and must not throw.
  void notice_growth(std::size_t beyond, std::function<void()> notice);

  /// Calls `collapse` with each part that growth has left behind, if huge pages are wanted in dense parts.
  /// The thread that makes the segment grow calls, so it must be quick and must not throw.
  void notice_filled(std::function<void(page_run)> collapse);
  /// Makes a huge page of the small ones wherever all pages in its place are there and no file's, while
  /// `go_on` says so. Other threads may use the segment. Takes about 0.1 ms for each.
  void collapse_dense(page_run pages, const std::function<bool()>& go_on) const noexcept;

  /// Only for a segment whose pages are `tracked`.
  void collect_dirty(page_run where, std::vector<page_run>& dirty) override;
  /// Returns whether `collect_dirty` starts the next interval by itself; if not, `adopt` must follow a
  /// checkpoint.
  bool rearms() const noexcept { return !tracker_ || tracker_->rearms(); }
  /// To be called when the home files hold every byte: drops the private copies of `settled` and maps the
  /// whole segment from `home`, so that from now on private copies are the pages that were written to.
  void adopt(std::span<const file_extent> home, std::span<const page_run> settled);

  void hold_writers(page_run pages) override;
  void admit_writers(page_run pages) noexcept override;
  /// Gives back the memory of pages whose writers are held and whose content home has: from now on they read
  /// as the file's bytes. `home` is that of the whole segment.
  void replace_by_home(page_run pages, std::span<const file_extent> home, os::data_walk& walk);
  /// Does the same with pages that no thread uses, which need not be held, and that were all written to home.
  void show_written(page_run pages, std::span<const file_extent> home);
  /// Copies what these pages hold: read from the files where memory has no copies of its own. Throws
  /// std::system_error.
  void copy_out(page_run pages, std::byte* to) const;
  /// Does the same with pages that lie anywhere, each run to the place of the same number. A mapped page that
  /// is touched first costs several times its reading: the kernel maps the pages around it too.
  void copy_out(std::span<const page_run> pages, std::span<std::byte* const> to) const;

  /// Ends the time in which a read-only segment may be written (for the replay of a journal).
  void seal();
  /// Has `examiner`, which must outlive the segment, examine each extent that is mapped now before any other
  /// thread sees it. To be called before the program knows the segment, and after `seal`.
  void examine_when_touched(home_examiner& examiner);

  std::string_view tracker() const noexcept { return tracker_ ? os::name_of(tracker_->kind()) : "none"; }

 private:
  void push_open(const os::byte_range& range, std::vector<page_run>& dirty) const;

  os::reservation memory_;
  mutable os::guarded_range range_;  // what is examined is opened, also for who only looks
  home_mapping mapping_;
  std::unique_ptr<os::page_tracker> tracker_;
  home_examiner* examiner_ = nullptr;
  std::vector<os::byte_range> collected_;  // reported by the tracker, not yet handed on
  base::owner_process
      owner_;  // in a child that was forked while another thread held `growing_` no thread would release it
  std::size_t noticed_beyond_ = 0;
  std::function<void()> notice_;
  std::function<void(page_run)> collapse_;
  std::size_t not_collapsed_ =
      static_cast<std::size_t>(-1);  // offset from which on `collapse` was not called yet
  std::size_t open_ = 0;             // bytes readable and writable: size() and a reserve for growth
};

}  // namespace perdure::detail
