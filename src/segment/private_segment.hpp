// The default backing of a store: a private mapping of the home files, anonymous memory beyond them.
//
// The kernel never writes any of its pages to a file, so the store alone decides what becomes durable,
// and when. Pages the program stored to are found by a page tracker.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "os/guarded_range.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "os/thread_sanitizer.hpp"
#include "segment/segment.hpp"

namespace perdure {

/// Consecutive parts of a segment and where in which file their bytes are.
struct file_extent {
  int descriptor;
  std::uint64_t offset;
  std::size_t bytes;
};

/// What becomes of the pages the program stores to.
enum class page_use {
  tracked,  ///< found by `collect_dirty`
  dropped,  ///< the segment's own until it goes; no tracker
  none,     ///< there are none: writable until `seal` only
};

/// Examines what a segment's home files hold, an extent at a time.
class home_examiner : public os::extent_examiner {
 public:
  /// Not in a signal handler: throws what is wrong with an extent; returns if it is fit after all.
  virtual void report(std::size_t extent) = 0;
};

class private_segment final : public segment {
 public:
  /// Maps `home` from the segment's start; its total is the segment's first size. Throws std::system_error.
  private_segment(os::reservation memory, std::span<const file_extent> home, page_use use,
                  os::mapped_medium medium = os::mapped_medium::page_cache);
  ~private_segment() override;

  void grow(std::size_t bytes) override;
  void discard(page_run pages) override;
  void require_sound(page_run pages) const override;

  /// Calls `notice` once, when the segment is or becomes larger than so many bytes; by whoever makes it grow,
  /// so it must be quick and must not throw.
  void notice_growth(std::size_t beyond, std::function<void()> notice);

  /// Appends, sorted and without overlap, the pages stored to since the last call. Writers must be quiet.
  /// Of a tracked segment only.
  void collect_dirty(std::vector<page_run>& dirty) { collect_dirty({0, size() / page_size}, dirty); }
  /// The same of some pages, whose writers must be quiet or held.
  void collect_dirty(page_run where, std::vector<page_run>& dirty);
  /// Whether `collect_dirty` starts the next interval by itself; if not, `adopt` must follow a checkpoint.
  bool rearms() const noexcept { return !tracker_ || tracker_->rearms(); }
  /// The home files now hold every byte: drops the private copies of `settled` and maps the whole segment
  /// from `home`, so that private copies are the pages stored to from now on.
  void adopt(std::span<const file_extent> home, std::span<const page_run> settled);

  /// From here to `admit_writers` threads that store to these pages wait; one run at a time.
  void hold_writers(page_run pages);
  void admit_writers(page_run pages) noexcept;
  /// While the lock lives the segment does not grow: who wants it to waits.
  std::unique_lock<std::mutex> hold_growth() { return std::unique_lock(growing_); }
  /// Gives back the memory of held pages whose content is `home`'s: they read as the file's bytes from now
  /// on. `home` is of the whole segment.
  void replace_by_home(page_run pages, std::span<const file_extent> home);

  /// Ends the time in which a read-only segment may be written (for the replay of a journal).
  void seal();
  /// Lets `examiner`, which must outlive the segment, see each extent that is mapped now before anybody else
  /// does. Before the program knows the segment; after `seal`.
  void examine_when_touched(home_examiner& examiner);

  std::string_view tracker() const noexcept { return tracker_ ? os::name_of(tracker_->kind()) : "none"; }

 private:
  void push_open(const os::byte_range& range, std::vector<page_run>& dirty) const;

  std::unique_ptr<os::guarded_range> range_;
  std::unique_ptr<os::page_tracker> tracker_;
  os::reservation memory_;
  home_examiner* examiner_ = nullptr;
  std::vector<os::byte_range> collected_;  // reported by the tracker, not yet handed on
  std::mutex growing_;
  int owner_;  // process; a child forked while another thread held `growing_` has nobody to wait for
  std::size_t noticed_beyond_ = 0;
  std::function<void()> notice_;
  std::size_t open_ = 0;    // bytes readable and writable: size() and a reserve for growth
  std::size_t mapped_ = 0;  // bytes backed by files; anonymous beyond, but for what is in:
  std::vector<page_run> mapped_early_;
};

/// Threads that store to these pages wait while it lives.
class write_pause {
 public:
  write_pause(private_segment& memory, page_run pages) : memory_(memory), pages_(pages) {
    memory_.hold_writers(pages_);
    os::begin_ordered_reads();
  }
  write_pause(const write_pause&) = delete;
  write_pause& operator=(const write_pause&) = delete;
  ~write_pause() {
    os::end_ordered_reads();
    memory_.admit_writers(pages_);
  }

 private:
  private_segment& memory_;
  page_run pages_;
};

}  // namespace perdure
