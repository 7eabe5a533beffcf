#include "crash/unsynced_pages.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "crash/disk_image.hpp"
#include "os/file.hpp"

namespace perdure::crash {

namespace {

std::optional<struct stat> status_of(int descriptor) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

}  // namespace

void unsynced_pages::writing(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  const auto status = status_of(descriptor);
  if (!status || bytes == 0) return;
  const std::scoped_lock lock(mutex_);
  pages& since = files_[status->st_ino].since;
  for (std::uint64_t page = offset / disk_page; page * disk_page < offset + bytes; ++page) {
    const auto [place, is_new] = since.try_emplace(page);
    if (!is_new) continue;
    place->second.resize(disk_page);
    // Past the observer, which is who asks. What is beyond the end stays zero.
    static_cast<void>(os::try_read_at(descriptor, place->second.data(), disk_page, page * disk_page));
  }
}

void unsynced_pages::resized(int descriptor, std::uint64_t bytes) {
  const auto status = status_of(descriptor);
  if (!status) return;
  const std::scoped_lock lock(mutex_);
  file_pages& file = files_[status->st_ino];
  for (pages* const some : {&file.before_sync, &file.since})
    some->erase(some->lower_bound(bytes / disk_page), some->end());
}

void unsynced_pages::punched(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  const auto status = status_of(descriptor);
  if (!status) return;
  const std::scoped_lock lock(mutex_);
  file_pages& file = files_[status->st_ino];
  for (pages* const some : {&file.before_sync, &file.since})
    some->erase(some->lower_bound(offset / disk_page), some->lower_bound((offset + bytes) / disk_page));
}

void unsynced_pages::sync_begun(int descriptor) {
  const auto status = status_of(descriptor);
  if (!status) return;
  const std::scoped_lock lock(mutex_);
  file_pages& file = files_[status->st_ino];
  // What the elder of two writes found is what the disk has.
  file.before_sync.merge(file.since);
  file.since.clear();
}

void unsynced_pages::sync_ended(int descriptor) {
  const auto status = status_of(descriptor);
  if (!status) return;
  const std::scoped_lock lock(mutex_);
  files_[status->st_ino].before_sync.clear();
}

unsynced_pages::pages unsynced_pages::lose(int descriptor, random_stream random) {
  const auto status = status_of(descriptor);
  if (!status) return {};
  pages lost;
  const std::scoped_lock lock(mutex_);
  file_pages& file = files_[status->st_ino];
  file.before_sync.merge(file.since);
  const bool loses_all = random.one_in(2);
  for (const auto& [page, bytes] : file.before_sync) {
    if (!loses_all && random.one_in(2)) continue;
    const std::uint64_t begin = page * disk_page;
    const auto size = static_cast<std::uint64_t>(status->st_size);
    if (begin >= size) continue;
    const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(disk_page, size - begin));
    if (::pwrite(descriptor, bytes.data(), here, static_cast<off_t>(begin)) != static_cast<ssize_t>(here))
      throw std::system_error(errno, std::generic_category(), "the rig cannot lose a page");
    lost.emplace(page, bytes);
  }
  file.before_sync.clear();
  file.since.clear();
  return lost;
}

}  // namespace perdure::crash
