#include "crash/watched_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "os/file.hpp"

namespace perdure::crash {

watched_file::watched_file(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  written(descriptor, 0, static_cast<std::uint64_t>(status.st_size));
}

void watched_file::find_stores(std::uint64_t offset, std::span<const std::byte> memory,
                               std::vector<page_write>& found) {
  for (std::size_t at = 0; at < memory.size() && offset + at < known_.size(); at += disk_page) {
    const std::byte* const now = memory.data() + at;
    std::byte* const before = known_.data() + offset + at;
    if (std::memcmp(before, now, disk_page) == 0) continue;
    page_write piece{(offset + at) / disk_page, 0, disk_page, {}, 0};
    for (std::size_t i = 0; i < lines_per_page; ++i) {
      if (std::memcmp(before + i * line, now + i * line, line) != 0) piece.lines |= line_mask{1} << i;
    }
    std::array<std::byte, disk_page> page{};
    std::memcpy(page.data(), now, disk_page);
    std::memcpy(before, now, disk_page);
    piece.content = make_page(page);
    found.push_back(std::move(piece));
  }
}

void watched_file::written(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  if (known_.size() < offset + bytes) resized(offset + bytes);
  // Past the observer, which is who asks.
  static_cast<void>(os::try_read_at(descriptor, known_.data() + offset, bytes, offset));
}

void watched_file::punched(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t end = std::min<std::uint64_t>(offset + bytes, known_.size());
  if (offset >= end) return;
  std::fill(known_.begin() + static_cast<std::ptrdiff_t>(offset),
            known_.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0});
}

void watched_file::resized(std::uint64_t bytes) {
  known_.resize((bytes + disk_page - 1) / disk_page * disk_page);
}

}  // namespace perdure::crash
