#include "crash/state_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "store/file/super_block.hpp"

namespace perdure::crash {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), path.string());
}

// Past the observer: what the rig itself does is not part of any run.
void put(int descriptor, const std::byte* bytes, std::uint64_t page) {
  if (::pwrite(descriptor, bytes, disk_page, static_cast<off_t>(page * disk_page)) !=
      static_cast<ssize_t>(disk_page)) {
    fail("state");
  }
}

}  // namespace

state_directory::state_directory(std::filesystem::path root) : root_(std::move(root)) {
  struct stat status;
  if (::stat(root_.c_str(), &status) != 0) fail(root_);
  root_identity_ = status.st_ino;
  store::trust_copies(true);
}

void state_directory::make(const std::string& path, bool is_directory) {
  const std::filesystem::path full = root_ / path;
  if (is_directory && ::mkdir(full.c_str(), 0700) != 0) fail(full);
  const int flags = is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL;
  const int descriptor = ::open(full.c_str(), flags | O_CLOEXEC, 0600);
  struct stat status;
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) fail(full);
  held_file& file = held_[path];
  file.file = os::file(descriptor, full);
  file.identity = status.st_ino;
  file.is_directory = is_directory;
}

void state_directory::drop(const std::string& path) {
  const auto held = held_.find(path);
  if (held->second.is_directory) {
    std::filesystem::remove_all(root_ / path);
  } else {
    ::unlink((root_ / path).c_str());
  }
  held_.erase(held);
}

void state_directory::rewrite(const held_file& held, const inode& from, const inode& to) {
  const int descriptor = held.file.descriptor();
  std::uint64_t size = from.size;
  const auto cut_to = [&](std::uint64_t bytes) {
    if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) fail(held.file.path());
    size = bytes;
  };
  if (size > to.size) cut_to(to.size);
  static constexpr std::array<std::byte, disk_page> zeros{};
  const std::uint64_t end_page = (to.size + disk_page - 1) / disk_page;
  auto old = from.pages.begin();
  auto now = to.pages.begin();
  while (old != from.pages.end() || now != to.pages.end()) {
    const bool only_old = now == to.pages.end() || (old != from.pages.end() && old->first < now->first);
    const bool only_new = old == from.pages.end() || (now != to.pages.end() && now->first < old->first);
    const std::uint64_t page = only_old ? old->first : now->first;
    if (only_old) {
      // A page cut off above needs no zeros.
      if (page < end_page) {
        put(descriptor, zeros.data(), page);
        size = std::max(size, (page + 1) * disk_page);
      }
      ++old;
      continue;
    }
    // A page that straddles the end was cut and must be whole again.
    if (only_new || old->second != now->second || from.size > to.size) {
      put(descriptor, now->second->bytes.data(), page);
      size = std::max(size, (page + 1) * disk_page);
    }
    if (!only_new) ++old;
    ++now;
  }
  if (size != to.size) cut_to(to.size);
}

void state_directory::become(const disk_image& image) {
  const auto wanted = image.listing();
  std::set<std::string> names;
  for (const auto& [path, number] : wanted) names.insert(path);
  for (auto held = held_.rbegin(); held != held_.rend();) {
    const std::string path = held->first;
    ++held;
    if (!names.contains(path)) {
      drop(path);
      held = std::make_reverse_iterator(held_.lower_bound(path));
    }
  }
  static const inode empty;
  for (const auto& [path, number] : wanted) {
    const inode& to = image.at(number);
    const auto held = held_.find(path);
    if (held != held_.end() && held->second.is_directory != to.is_directory) drop(path);
    if (!held_.contains(path)) {
      make(path, to.is_directory);
      if (!to.is_directory) rewrite(held_[path], empty, to);
    } else if (!to.is_directory) {
      const inode_number before = held_[path].number;
      const inode& from = now_.at(before);
      if (&from != &to) rewrite(held_[path], from, to);
    }
    held_[path].number = number;
  }
  now_ = image;
}

void state_directory::happened(const call_log& log) {
  bool names = false;
  for (const logged_call& call : log) {
    apply_whole(call, now_);
    names =
        names || call.what == logged::create || call.what == logged::rename || call.what == logged::remove;
  }
  if (names) reopen();
}

void state_directory::reopen() {
  held_.clear();
  for (const auto& [path, number] : now_.listing()) {
    const std::filesystem::path full = root_ / path;
    const bool is_directory = now_.at(number).is_directory;
    const int descriptor = ::open(full.c_str(), (is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) fail(full);
    held_[path] = {os::file(descriptor, full), status.st_ino, number, is_directory};
  }
}

identities state_directory::known() const {
  identities result{{root_identity_, root_inode}};
  for (const auto& [path, held] : held_) result[held.identity] = held.number;
  return result;
}

}  // namespace perdure::crash
