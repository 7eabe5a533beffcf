#include "crash/call_recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace perdure::crash {

namespace {

using os::file_operation;

// Between `before` and `after` of one call, which are on one thread.
thread_local bool existed = false;
thread_local inode_number moved = 0;
thread_local std::size_t sync_began_at = 0;

bool is_passed_over(const char* name) {
  return std::strcmp(name, "LOCK") == 0;
}

}  // namespace

call_recorder::call_recorder(identities known, inode_number next, fault_plan* faults)
    : known_(std::move(known)), next_(next), faults_(faults) {
  os::observe_files(this);
}

call_recorder::~call_recorder() {
  os::observe_files(nullptr);
}

const inode_number* call_recorder::find(int descriptor) const {
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return nullptr;
  const auto found = known_.find(status.st_ino);
  return found == known_.end() ? nullptr : &found->second;
}

const inode_number* call_recorder::find(const std::filesystem::path& path) const {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return nullptr;
  const auto found = known_.find(status.st_ino);
  return found == known_.end() ? nullptr : &found->second;
}

os::file_observer::verdict call_recorder::before(const os::file_call& call) {
  const verdict decided = faults_ != nullptr ? faults_->before(call) : verdict{};
  if (call.operation == file_operation::read) return decided;
  if (home_is_slow_ && is_on(call, "heap.")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  struct stat status;
  const std::scoped_lock lock(mutex_);
  if (watches_stores_) record_stores(call);
  if (faults_ != nullptr) record_losses(call);
  switch (call.operation) {
    case file_operation::open:
      existed = (call.flags & O_CREAT) == 0 ||
                ::fstatat(call.descriptor, call.name, &status, AT_SYMLINK_NOFOLLOW) == 0;
      break;
    case file_operation::rename:
      moved = 0;
      if (::fstatat(call.descriptor < 0 ? AT_FDCWD : call.descriptor, call.name, &status,
                    AT_SYMLINK_NOFOLLOW) == 0) {
        const auto found = known_.find(status.st_ino);
        if (found != known_.end()) moved = found->second;
      }
      break;
    case file_operation::sync:
    case file_operation::sync_data:
      sync_began_at = log_.size();
      if (const inode_number* file = find(call.descriptor)) {
        log_.push_back({.what = logged::sync_begun, .target = *file});
      }
      break;
    default:
      break;
  }
  return decided;
}

void call_recorder::after(const os::file_call& call, std::int64_t result, int error) {
  if (call.operation != file_operation::read) {
    const std::scoped_lock lock(mutex_);
    const inode_number* const file = call.descriptor >= 0 ? find(call.descriptor) : nullptr;
    const bool is_sync =
        call.operation == file_operation::sync || call.operation == file_operation::sync_data;
    if (is_sync) {
      if (file != nullptr && error != EINTR) {
        log_.push_back({.what = error == 0 ? logged::sync_ended : logged::sync_failed,
                        .target = *file,
                        .begun = sync_began_at});
      }
    } else if (result >= 0) {
      switch (call.operation) {
        case file_operation::write:
          if (file != nullptr) record_write(call, *file, static_cast<std::uint64_t>(result));
          if (file != nullptr && watched_.contains(*file))
            watched_.at(*file).written(call.descriptor, call.offset, static_cast<std::uint64_t>(result));
          break;
        case file_operation::persist:
          record_persisted(call);
          break;
        case file_operation::resize:
          if (file != nullptr) {
            log_.push_back({.what = logged::resize, .target = *file, .bytes = call.bytes});
            if (watched_.contains(*file)) watched_.at(*file).resized(call.bytes);
          }
          break;
        case file_operation::punch:
          if (file != nullptr) {
            log_.push_back(
                {.what = logged::punch, .target = *file, .offset = call.offset, .bytes = call.bytes});
            if (watched_.contains(*file)) watched_.at(*file).punched(call.offset, call.bytes);
          }
          break;
        case file_operation::open: {
          struct stat status;
          if (file == nullptr || is_passed_over(call.name) ||
              ::fstat(static_cast<int>(result), &status) != 0) {
            break;
          }
          if (!existed) {
            created(*file, call.name, status.st_ino, false);
          } else if ((call.flags & O_TRUNC) != 0 && known_.contains(status.st_ino)) {
            log_.push_back({.what = logged::resize, .target = known_[status.st_ino], .bytes = 0});
          }
          if (known_.contains(status.st_ino))
            watch(call.name, static_cast<int>(result), known_[status.st_ino]);
          break;
        }
        default:
          record_names(call);
          break;
      }
    }
  }
  if (faults_ != nullptr) faults_->after(call, error);
}

void call_recorder::watch(const char* name, int descriptor, inode_number number) {
  const bool may_be_mapped = std::strncmp(name, "heap.", 5) == 0 || std::strcmp(name, "undo") == 0;
  if (watches_stores_ && may_be_mapped) watched_.try_emplace(number, descriptor);
}

std::vector<call_recorder::mapped_part> call_recorder::mapped_parts() const {
  std::vector<mapped_part> parts;
  std::ifstream maps("/proc/self/maps");
  for (std::string text; std::getline(maps, text);) {
    mapped_part part{};
    char rights[8] = {};
    unsigned long identity = 0;
    if (std::sscanf(text.c_str(), "%lx-%lx %7s %lx %*s %lu", &part.begin, &part.end, rights, &part.offset,
                    &identity) != 5)
      continue;
    const auto known = known_.find(identity);
    if (known == known_.end() || rights[3] != 's' || !watched_.contains(known->second)) continue;
    part.file = known->second;
    part.is_writable = rights[1] == 'w';
    parts.push_back(part);
  }
  return parts;
}

// What is writable may have been stored to; so may what is persisted, though it has become read-only.
void call_recorder::record_stores(const os::file_call& call) {
  std::map<inode_number, std::vector<page_write>> found;
  const auto look_at = [&](const mapped_part& part, std::uintptr_t begin, std::uintptr_t end) {
    begin = std::max(begin / disk_page * disk_page, part.begin);
    end = std::min((end + disk_page - 1) / disk_page * disk_page, part.end);
    if (begin >= end) return;
    watched_.at(part.file).find_stores(part.offset + (begin - part.begin),
                                       {reinterpret_cast<const std::byte*>(begin), end - begin},
                                       found[part.file]);
  };
  for (const mapped_part& part : mapped_parts()) {
    if (part.is_writable) look_at(part, part.begin, part.end);
    if (call.operation != file_operation::persist) continue;
    for (const iovec& stored : call.data) {
      const auto begin = reinterpret_cast<std::uintptr_t>(stored.iov_base);
      look_at(part, begin, begin + stored.iov_len);
    }
  }
  for (auto& [file, pieces] : found) {
    if (pieces.empty()) continue;
    log_.push_back({.what = logged::write, .target = file, .is_store = true, .pieces = std::move(pieces)});
  }
}

void call_recorder::record_persisted(const os::file_call& call) {
  for (const mapped_part& part : mapped_parts()) {
    for (const iovec& stored : call.data) {
      const auto first = std::max(reinterpret_cast<std::uintptr_t>(stored.iov_base), part.begin);
      const auto last =
          std::min(reinterpret_cast<std::uintptr_t>(stored.iov_base) + stored.iov_len, part.end);
      if (first >= last) continue;
      log_.push_back({.what = logged::persist,
                      .target = part.file,
                      .offset = part.offset + (first - part.begin),
                      .bytes = last - first});
    }
  }
}

void call_recorder::created(inode_number directory, const std::string& name, ino_t identity,
                            bool is_directory) {
  known_[identity] = next_;
  log_.push_back({.what = logged::create,
                  .target = directory,
                  .other = next_,
                  .is_directory = is_directory,
                  .name = name});
  ++next_;
}

void call_recorder::record_losses(const os::file_call& call) {
  const unsynced_pages::pages& lost = fault_plan::lost_before_call();
  const inode_number* const file = lost.empty() ? nullptr : find(call.descriptor);
  struct stat status;
  if (file == nullptr || ::fstat(call.descriptor, &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  logged_call loss{.what = logged::lost, .target = *file};
  for (const auto& [page, bytes] : lost) {
    const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(disk_page, size - page * disk_page));
    std::array<std::byte, disk_page> content{};
    std::copy(bytes.begin(), bytes.end(), content.begin());
    loss.pieces.push_back({page, 0, end, make_page(content)});
  }
  log_.push_back(std::move(loss));
  // The file keeps its length, which the writes that are gone may have given it.
  log_.push_back({.what = logged::resize, .target = *file, .bytes = size});
}

void call_recorder::record_write(const os::file_call& call, inode_number file, std::uint64_t bytes) {
  std::vector<std::byte> data;
  for (const iovec& part : call.data) {
    const auto* from = static_cast<const std::byte*>(part.iov_base);
    data.insert(data.end(), from, from + part.iov_len);
  }
  data.resize(static_cast<std::size_t>(bytes));
  log_.push_back(write_call(file, call.offset, data));
}

void call_recorder::record_names(const os::file_call& call) {
  const std::filesystem::path name = call.name == nullptr ? "" : call.name;
  const inode_number* const directory =
      call.descriptor >= 0 ? find(call.descriptor) : find(name.parent_path());
  if (directory == nullptr) return;
  switch (call.operation) {
    case file_operation::make_directory: {
      struct stat status;
      if (::stat(call.name, &status) == 0) created(*directory, name.filename(), status.st_ino, true);
      break;
    }
    case file_operation::rename: {
      const std::filesystem::path new_name = call.new_name;
      const inode_number* const to = call.descriptor >= 0 ? directory : find(new_name.parent_path());
      if (to == nullptr || moved == 0) return;
      log_.push_back({.what = logged::rename,
                      .target = *directory,
                      .other = moved,
                      .new_directory = *to,
                      .name = name.filename(),
                      .new_name = new_name.filename()});
      break;
    }
    case file_operation::remove:
      if (!is_passed_over(call.name)) {
        log_.push_back({.what = logged::remove, .target = *directory, .name = name});
      }
      break;
    default:
      break;
  }
}

void call_recorder::mark_attempt(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::attempt, .number = number});
}

void call_recorder::mark_promise(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::promise, .number = number});
}

void call_recorder::mark_preparing(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::preparing, .number = number});
}

void call_recorder::mark_prepared(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::prepared, .number = number});
}

void call_recorder::mark_abandoning() {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::abandoning});
}

void call_recorder::mark_withdrawal(std::size_t still_prepared) {
  const std::scoped_lock lock(mutex_);
  log_.push_back({.what = logged::withdrawal, .number = still_prepared});
}

}  // namespace perdure::crash
