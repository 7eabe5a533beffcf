// Maps pages of a segment from the home files, or leaves them anonymous.
#include "segment/home_mapping.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <system_error>

#include "os/file.hpp"
#include "os/file_extents.hpp"
#include "os/mapping.hpp"
#include "os/system_error.hpp"
#include "segment/page_runs.hpp"

namespace perdure::detail {

namespace {

// So many runs of pages are mapped without asking how many more mappings there may be.
constexpr std::size_t few_runs = 250;

std::size_t offset_of(page_run pages) {
  return pages.first * page_size;
}

std::size_t bytes_of(page_run pages) {
  return pages.count * page_size;
}

// The longest runs, at most so many.
std::vector<page_run> longest(const std::vector<page_run>& runs, std::size_t most) {
  if (runs.size() <= most) return runs;
  std::vector<page_run> result = runs;
  const auto end = result.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(result.begin(), end, result.end(),
                   [](const page_run& a, const page_run& b) { return a.count > b.count; });
  result.erase(end, result.end());
  normalize(result);
  return result;
}

}  // namespace

home_mapping::home_mapping(os::guarded_range& range, os::mapped_medium medium)
    : range_(range), leaves_holes_(medium == os::mapped_medium::tmpfs) {}

std::vector<page_run> home_mapping::map_all(std::span<const file_extent> home) {
  home_.assign(home.begin(), home.end());
  const page_run all{0, total_bytes(home) / page_size};
  if (!leaves_holes_) {
    map_files(all);
    return {};
  }
  os::data_walk walk;
  const std::vector<page_run> data = data_of_home(all, walk);
  if (data.size() > few_runs) most_ = std::min(most_, os::mappings_left() / 4);
  os::map_anonymous(range_.base(), bytes_of(all), os::access::read_write);
  // Huge pages would take memory for many holes at the first touch of one. It also keeps the kernel from
  // joining holes with what is around the segment: where mappings run out, they could not be parted again.
  os::prefer_small_pages(range_.base(), bytes_of(all));
  for (const page_run& run : longest(data, most_)) map_files(run);
  std::vector<page_run> copied = subtract(data, of_files_);
  for (const page_run& run : copied) copy_in(run);
  return copied;
}

void home_mapping::copy_in(page_run pages) const {
  for_pieces(home_, offset_of(pages), offset_of(pages) + bytes_of(pages),
             [&](std::size_t at, std::size_t bytes, int file, std::uint64_t offset) {
               const std::ptrdiff_t got = os::try_read_at(file, range_.base() + at, bytes, offset);
               if (got != static_cast<std::ptrdiff_t>(bytes))
                 os::throw_errno("read", "a home file", got < 0 ? errno : EIO);
             });
}

void home_mapping::watch(os::page_tracker* tracker, os::access of_clean_pages) noexcept {
  tracker_ = tracker;
  clean_ = of_clean_pages;
}

void home_mapping::show(page_run pages, std::span<const file_extent> home, os::data_walk& walk) {
  const std::scoped_lock lock(mutex_);
  home_.assign(home.begin(), home.end());
  show_kept(pages, walk);
}

void home_mapping::show_written(page_run pages, std::span<const file_extent> home) {
  const std::scoped_lock lock(mutex_);
  home_.assign(home.begin(), home.end());
  const std::vector<page_run> to_files = subtract({pages}, of_files_);
  for (const page_run& run : subtract({pages}, to_files))
    os::drop_pages(range_.base() + offset_of(run), bytes_of(run));
  for (const page_run& run : to_files) map_files(run);
}

void home_mapping::show_all(std::span<const page_run> settled, std::span<const file_extent> home) {
  const std::scoped_lock lock(mutex_);
  home_.assign(home.begin(), home.end());
  const page_run all{0, total_bytes(home) / page_size};
  if (!leaves_holes_)
    for (const page_run& run : subtract({all}, of_files_)) map_files(run);
  os::data_walk walk;
  for (const page_run& run : intersect({settled.begin(), settled.end()}, all)) show_kept(run, walk);
}

void home_mapping::show_kept(page_run pages, os::data_walk& walk) {
  const std::vector<page_run> at_home = leaves_holes_ ? data_of_home(pages, walk) : std::vector{pages};
  std::vector<page_run> to_files = subtract(at_home, of_files_);
  std::vector<page_run> left;
  if (leaves_holes_ && of_files_.size() >= most_) to_files.swap(left);
  const std::vector<page_run> to_nothing = subtract(intersect(of_files_, pages), at_home);
  std::vector<page_run> others = subtract(subtract({pages}, to_files), to_nothing);
  for (const page_run& run : subtract(others, left))
    os::drop_pages(range_.base() + offset_of(run), bytes_of(run));
  for (const page_run& run : to_files) map_files(run);
  for (const page_run& run : to_nothing) map_nothing(run);
}

void home_mapping::drop(page_run pages) {
  const auto drop_these = [this](page_run run) {
    os::drop_pages(range_.base() + offset_of(run), bytes_of(run));
  };
  if (!leaves_holes_) return drop_these(pages);
  const std::unique_lock<std::mutex> lock = keep();
  drop_these(pages);
  for (const page_run& run : intersect(of_files_, pages)) {
    try {
      map_nothing(run);
    } catch (const std::system_error& failure) {
      // Out of mappings (vm.max_map_count): the pages stay the files'.
      if (failure.code() != std::errc::not_enough_memory) throw;
    }
  }
}

// A page that is mapped from its file though it counts as anonymous does little harm; one that counts as the
// file's and is not would be lost when its memory is given back.

void home_mapping::map_files(page_run pages) {
  if (of_files_.size() == of_files_.capacity()) of_files_.reserve(2 * of_files_.size() + 1);
  const auto map = [this](std::size_t offset, std::size_t bytes, os::access allowed) {
    for_pieces(home_, offset, offset + bytes,
               [&](std::size_t at, std::size_t piece, int file, std::uint64_t place) {
                 os::map_private(range_.base() + at, piece, file, place, allowed);
               });
  };
  range_.remap(offset_of(pages), bytes_of(pages), clean_, map);
  add_run(of_files_, pages);
  if (tracker_ != nullptr) tracker_->remapped({offset_of(pages), bytes_of(pages)});
}

void home_mapping::map_nothing(page_run pages) {
  remove_run(of_files_, pages);
  const auto map = [this](std::size_t offset, std::size_t bytes, os::access allowed) {
    os::map_anonymous(range_.base() + offset, bytes, allowed);
  };
  range_.remap(offset_of(pages), bytes_of(pages), clean_, map);
  if (tracker_ != nullptr) tracker_->remapped({offset_of(pages), bytes_of(pages)});
}

std::vector<page_run> home_mapping::data_of_home(page_run pages, os::data_walk& walk) const {
  std::vector<page_run> data;
  for_pieces(home_, offset_of(pages), offset_of(pages) + bytes_of(pages),
             [&](std::size_t at, std::size_t bytes, int file, std::uint64_t offset) {
               for (const os::file_part& part : walk.within(file, offset, offset + bytes)) {
                 const std::uint64_t first = (at + (part.begin - offset)) / page_size;
                 const std::uint64_t end = (at + (part.end - offset) + page_size - 1) / page_size;
                 data.push_back({first, end - first});
               }
             });
  normalize(data);
  return data;
}

std::vector<page_run> home_mapping::from_files(page_run pages, std::vector<file_extent>& home) const {
  const std::unique_lock<std::mutex> lock = keep();
  home = home_;
  return intersect(of_files_, pages);
}

std::unique_lock<std::mutex> home_mapping::keep() const {
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (owner_.is_here()) lock.lock();
  return lock;
}

}  // namespace perdure::detail
