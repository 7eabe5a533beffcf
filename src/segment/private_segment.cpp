// The default backing of a store: a private mapping of the home files.
#include "segment/private_segment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <perdure/error.hpp>
#include <system_error>
#include <utility>

#include "base/for_each_index.hpp"
#include "os/cpu.hpp"
#include "os/file.hpp"
#include "os/private_copies.hpp"
#include "os/system_error.hpp"
#include "segment/growth.hpp"
#include "segment/page_runs.hpp"

namespace perdure::detail {

namespace {

// What is copied out of home files goes in pieces; where it is 16 MiB or more, by several threads.
constexpr std::size_t bytes_per_read = std::size_t{4} << 20;
constexpr std::size_t least_reads_of_threads = 4;
constexpr unsigned most_reading_threads = 4;

}  // namespace

private_segment::private_segment(os::reservation memory, std::span<const file_extent> home, page_use use,
                                 os::mapped_medium medium)
    : memory_(std::move(memory)), range_(memory_.base(), memory_.size()), mapping_(range_, medium) {
  base_ = memory_.base();
  capacity_ = memory_.size();
  read_only_ = use == page_use::none;
  const std::vector<page_run> copied = mapping_.map_all(home);
  open_ = total_bytes(home);
  size_.store(open_, std::memory_order_release);
  if (use != page_use::tracked) return;
  const std::size_t small = std::max(round_up(open_, size_step), small_page_part);
  const huge_pages wanted = huge_pages_wanted(huge_pages::where_dense);
  if (wanted == huge_pages::everywhere && small < capacity_)
    os::prefer_huge_pages(base_ + small, capacity_ - small);
  if (wanted == huge_pages::where_dense && os::can_collapse_pages()) not_collapsed_ = small;
  tracker_ = os::make_page_tracker(os::choose_tracker(medium), range_);
  tracker_->open_range(0, open_);
  mapping_.watch(tracker_.get(), tracker_->access_before_writes());
  if (copied.empty() || !tracker_->rearms()) return;
  // What was copied is no change.
  tracker_->collect({0, open_}, collected_);
  collected_.clear();
}

private_segment::~private_segment() {
  // Unmapped before the tracker is destroyed: that spares the kernel a walk over the pages to take the
  // tracker's marks off.
  if (tracker_) tracker_->detach();
  range_.detach();
  if (held() == possession::nothing) memory_.forget();
  withheld_.reset();
  memory_ = os::reservation();
}

void private_segment::grow(std::size_t bytes) {
  if (bytes <= size()) return;
  require_own();
  if (bytes > capacity_ || read_only_) throw std::bad_alloc();
  std::unique_lock lock(growing_, std::defer_lock);
  if (owner_.is_here()) lock.lock();
  const std::size_t wanted = round_up(bytes, size_step);
  if (wanted <= size()) return;
  const std::size_t before = open_;
  open_up_to(wanted, capacity_, open_, [this](std::size_t offset, std::size_t step) {
    if (tracker_) return tracker_->open_range(offset, step);
    os::protect(base_ + offset, step, os::access::read_write);
  });
  size_.store(wanted, std::memory_order_release);
  // The heap has used what was opened before this step, so that part is as dense as it will be.
  if (collapse_ && before < open_ && not_collapsed_ < before) {
    const std::size_t from = std::exchange(not_collapsed_, before);
    collapse_({from / page_size, (before - from) / page_size});
  }
  if (notice_ && wanted > noticed_beyond_) std::exchange(notice_, nullptr)();
}

void private_segment::notice_growth(std::size_t beyond, std::function<void()> notice) {
  const std::scoped_lock lock(growing_);
  if (size() > beyond) return notice();
  noticed_beyond_ = beyond;
  notice_ = std::move(notice);
}

void private_segment::notice_filled(std::function<void(page_run)> collapse) {
  const std::scoped_lock lock(growing_);
  if (not_collapsed_ < capacity_) collapse_ = std::move(collapse);
}

void private_segment::collapse_dense(page_run pages, const std::function<bool()>& go_on) const noexcept {
  constexpr std::size_t step = os::huge_page_bytes;
  try {
    std::vector<file_extent> home;
    // Of files on tmpfs the kernel would copy the files' own pages into huge ones, all that was just written
    // there once more.
    for (const page_run& run : subtract({pages}, mapping_.from_files(pages, home))) {
      const std::size_t end = (run.first + run.count) * page_size;
      for (std::size_t at = round_up(run.first * page_size, step); at + step <= end && go_on(); at += step) {
        if (os::is_all_in_memory(base_ + at, step)) os::collapse_pages(base_ + at, step);
      }
    }
  } catch (const std::exception&) {
    // There is no memory to note what lies where: pages stay small.
  }
}

void private_segment::discard(page_run pages) {
  require_own();
  mapping_.drop(pages);
}

void private_segment::collect_dirty(page_run where, std::vector<page_run>& dirty) {
  // A mapping is watched only after it was made.
  const std::unique_lock<std::mutex> still = mapping_.keep();
  // The tracker reports a page once, so what it has reported is kept until it has been handed on.
  tracker_->collect({where.first * page_size, where.count * page_size}, collected_);
  dirty.reserve(dirty.size() + collected_.size());
  for (const os::byte_range& range : collected_) push_open(range, dirty);
  collected_.clear();
  normalize(dirty);
}

// A tracker may report more than was written to. Parts that are still closed are left out: no thread has
// touched them, and a checkpoint must not read them.
void private_segment::push_open(const os::byte_range& range, std::vector<page_run>& dirty) const {
  constexpr std::size_t step = os::guarded_range::extent_bytes;
  std::size_t begin = range.offset;
  const std::size_t end = range.offset + range.bytes;
  const std::size_t guarded = std::min(end, range_.closable_extents() * step);
  for (std::size_t at = begin; at < guarded;) {
    const std::size_t next = (at / step + 1) * step;
    if (range_.is_closed(at / step)) {
      if (begin < at) dirty.push_back({begin / page_size, (at - begin) / page_size});
      begin = next;
    }
    at = next;
  }
  if (begin < end) dirty.push_back({begin / page_size, (end - begin) / page_size});
}

void private_segment::adopt(std::span<const file_extent> home, std::span<const page_run> settled) {
  mapping_.show_all(settled, home);
}

void private_segment::hold_writers(page_run pages) {
  tracker_->hold_writers({pages.first * page_size, pages.count * page_size});
}

void private_segment::admit_writers(page_run pages) noexcept {
  tracker_->admit_writers({pages.first * page_size, pages.count * page_size});
}

void private_segment::replace_by_home(page_run pages, std::span<const file_extent> home,
                                      os::data_walk& walk) {
  mapping_.show(pages, home, walk);
}

void private_segment::show_written(page_run pages, std::span<const file_extent> home) {
  const write_pause held(*this, pages);
  mapping_.show_written(pages, home);
}

void private_segment::copy_out(page_run pages, std::byte* to) const {
  require_own();
  require_sound(pages);
  const auto place = [&](std::uint64_t page) { return to + (page - pages.first) * page_size; };
  std::vector<file_extent> home;
  const std::vector<page_run> of_files = mapping_.from_files(pages, home);
  std::vector<page_run> copies;
  if (!of_files.empty()) {
    const os::file pagemap = os::open_pagemap();
    for (const page_run& run : of_files)
      os::for_private_copies(pagemap, reinterpret_cast<std::uintptr_t>(base_) + run.first * page_size,
                             run.count * page_size, page_size, [&](std::size_t offset, std::size_t bytes) {
                               copies.push_back({run.first + offset / page_size, bytes / page_size});
                             });
  }
  const std::vector<page_run> at_home = subtract(of_files, copies);
  struct read {
    std::byte* to;
    std::size_t bytes;
    int file;
    std::uint64_t offset;
  };
  std::vector<read> reads;
  for (const page_run& run : at_home) {
    for_pieces(home, run.first * page_size, (run.first + run.count) * page_size,
               [&](std::size_t at, std::size_t bytes, int file, std::uint64_t offset) {
                 for (std::size_t done = 0; done < bytes; done += bytes_per_read)
                   reads.push_back({place(at / page_size) + done, std::min(bytes_per_read, bytes - done),
                                    file, offset + done});
               });
  }
  // A single processor copies from the page cache at half of what the memory can do.
  const std::size_t threads =
      reads.size() < least_reads_of_threads ? 1 : std::min(most_reading_threads, os::available_processors());
  base::for_each_index(threads, reads.size(), [&reads](std::size_t index, std::size_t) {
    const read& one = reads[index];
    const std::ptrdiff_t got = os::try_read_at(one.file, one.to, one.bytes, one.offset);
    if (got != static_cast<std::ptrdiff_t>(one.bytes))
      os::throw_errno("read", "a home file", got < 0 ? errno : EIO);
  });
  for (const page_run& run : subtract({pages}, at_home))
    std::memcpy(place(run.first), base_ + run.first * page_size, run.count * page_size);
}

void private_segment::copy_out(std::span<const page_run> pages, std::span<std::byte* const> to) const {
  require_own();
  std::vector<file_extent> home;
  const std::vector<page_run> of_files = mapping_.from_files({0, size() / page_size}, home);
  const auto is_of_files = [&of_files](page_run run) {
    const auto behind = std::upper_bound(of_files.begin(), of_files.end(), run.first,
                                         [](std::uint64_t page, page_run one) { return page < one.first; });
    if (behind == of_files.begin()) return false;
    const page_run& around = *std::prev(behind);
    return run.first + run.count <= around.first + around.count;
  };
  const os::file pagemap = os::open_pagemap();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const page_run run = pages[i];
    if (run.count == 0) continue;
    require_sound(run);
    bool is_at_home = is_of_files(run);
    if (is_at_home)
      os::for_private_copies(pagemap, reinterpret_cast<std::uintptr_t>(base_) + run.first * page_size,
                             run.count * page_size, page_size,
                             [&](std::size_t, std::size_t) { is_at_home = false; });
    if (!is_at_home) {
      std::memcpy(to[i], base_ + run.first * page_size, run.count * page_size);
      continue;
    }
    const std::uint64_t begin = run.first * page_size;
    for_pieces(home, begin, begin + run.count * page_size,
               [&](std::size_t at, std::size_t bytes, int file, std::uint64_t offset) {
                 const std::ptrdiff_t got = os::try_read_at(file, to[i] + (at - begin), bytes, offset);
                 if (got != static_cast<std::ptrdiff_t>(bytes))
                   os::throw_errno("read", "a home file", got < 0 ? errno : EIO);
               });
  }
}

void private_segment::seal() {
  os::protect(base_, size(), os::access::read);
}

void private_segment::examine_when_touched(home_examiner& examiner) {
  examiner_ = &examiner;
  const os::access untracked = read_only_ ? os::access::read : os::access::read_write;
  range_.close(size(), tracker_ ? tracker_->access_before_writes() : untracked, examiner);
}

void private_segment::require_sound(page_run pages) const {
  if (examiner_ == nullptr) return;
  require_own();
  open_closed(range_, *examiner_, pages);
}

}  // namespace perdure::detail
