// Which pages of a segment are mapped from the home files; all others are anonymous memory.
//
// On tmpfs a hole is never mapped: the kernel gives a hole that is touched a page of the file, also for
// reading, and where there is none the thread gets a SIGBUS. So there the holes are anonymous memory, which
// reads as zero too.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "base/owner_process.hpp"
#include "os/file_extents.hpp"
#include "os/guarded_range.hpp"
#include "os/page_tracker.hpp"
#include "segment/file_extent.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

/// Thread-safe, but for `map_all` and `watch`. Throws std::system_error where the kernel refuses a mapping.
class home_mapping {
 public:
  /// Makes one of memory in `range`, which must outlive it.
  home_mapping(os::guarded_range& range, os::mapped_medium medium);

  /// Maps all of `home` from the start of the range, readable and writable. Returns the pages that were
  /// copied into anonymous memory instead, as a mapping for each of them would be too many.
  std::vector<page_run> map_all(std::span<const file_extent> home);
  /// From now on pages are mapped with what `tracker`, which may be null, lets be done with clean pages, and
  /// it hears of them.
  void watch(os::page_tracker* tracker, os::access of_clean_pages) noexcept;

  /// Gives back the memory of pages of which `home`, that of the whole segment, has the content: they are
  /// mapped from there, unless there are very many mappings already. Threads that write to them must be held.
  /// `walk` serves several calls, as long as home gets no new holes.
  void show(page_run pages, std::span<const file_extent> home, os::data_walk& walk);
  /// Does the same with pages that were all written, so that there is no hole among them, and maps them in
  /// any case. The file system is not asked for holes: on tmpfs that takes a twentieth of the time of the
  /// writing.
  void show_written(page_run pages, std::span<const file_extent> home);
  /// The same of `settled`, normalized; all other pages, to the end of `home`, are there as well.
  void show_all(std::span<const page_run> settled, std::span<const file_extent> home);
  /// Gives back the memory of pages whose content is of no consequence. From now on home may lose them.
  void drop(page_run pages);

  /// Returns those of the pages that are mapped from files, and the files.
  std::vector<page_run> from_files(page_run pages, std::vector<file_extent>& home) const;
  /// While the lock lives nothing is mapped.
  std::unique_lock<std::mutex> keep() const;

 private:
  void copy_in(page_run pages) const;
  std::vector<page_run> data_of_home(page_run pages, os::data_walk& walk) const;
  void show_kept(page_run pages, os::data_walk& walk);
  void map_files(page_run pages);
  void map_nothing(page_run pages);

  os::guarded_range& range_;
  bool leaves_holes_;
  // So many runs of pages are mapped from files at most. With the memory between two of them that is half of
  // the mappings that a process may have by default (vm.max_map_count).
  std::size_t most_ = 16'000;
  os::page_tracker* tracker_ = nullptr;
  os::access clean_ = os::access::read_write;
  base::owner_process owner_;  // in a child that was forked meanwhile no thread would release `mutex_`
  mutable std::mutex mutex_;   // of what follows
  std::vector<page_run> of_files_;
  std::vector<file_extent> home_;  // what they are mapped from
};

}  // namespace perdure::detail
