#include "crash/block/recording_disk.hpp"

#define FUSE_USE_VERSION 31
#include <fuse.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

namespace {

constexpr const char* disk_path = "/disk";
// Address space only: memory is taken as the log grows.
constexpr std::uint64_t log_bytes = std::uint64_t{8} << 30;

struct record {
  std::uint64_t is_flush;
  std::uint64_t offset;
  std::uint64_t bytes;  // of data that follow
};

void* share_memory(std::uint64_t bytes) {
  void* const got =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return got;
}

}  // namespace

struct recording_disk::shared {
  std::atomic<std::uint64_t> events{0};
  std::atomic<std::uint64_t> end{0};
  std::atomic<bool> overflowed{false};
  std::atomic<bool> refuses_writes{false};
  alignas(16) std::byte log[1];

  bool append(bool is_flush, std::uint64_t offset, const char* data, std::uint64_t bytes) {
    const record head{is_flush ? 1u : 0u, offset, bytes};
    const std::uint64_t at = end.load(std::memory_order_relaxed);
    if (at + sizeof head + bytes > log_bytes) {
      overflowed = true;
      return false;
    }
    std::memcpy(log + at, &head, sizeof head);
    if (bytes != 0) std::memcpy(log + at + sizeof head, data, bytes);
    end.store(at + sizeof head + bytes, std::memory_order_release);
    events.fetch_add(1, std::memory_order_release);
    return true;
  }
};

// What libfuse calls, in the serving process.
struct recording_disk::service {
  static recording_disk& disk() { return *static_cast<recording_disk*>(::fuse_get_context()->private_data); }

  static int getattr(const char* path, struct stat* status, fuse_file_info*) {
    *status = {};
    if (std::strcmp(path, "/") == 0) {
      status->st_mode = S_IFDIR | 0700;
      status->st_nlink = 2;
      return 0;
    }
    if (std::strcmp(path, disk_path) != 0) return -ENOENT;
    status->st_mode = S_IFREG | 0600;
    status->st_nlink = 1;
    status->st_size = static_cast<off_t>(disk().bytes_);
    return 0;
  }

  static int open(const char*, fuse_file_info* info) {
    info->direct_io = 1;
    return 0;
  }

  static int read(const char*, char* to, std::size_t bytes, off_t offset, fuse_file_info*) {
    const std::uint64_t from = std::min(disk().bytes_, static_cast<std::uint64_t>(offset));
    const std::size_t here = std::min<std::uint64_t>(bytes, disk().bytes_ - from);
    std::memcpy(to, disk().content_ + from, here);
    return static_cast<int>(here);
  }

  static int write(const char*, const char* data, std::size_t bytes, off_t offset, fuse_file_info*) {
    const std::uint64_t at = static_cast<std::uint64_t>(offset);
    if (at + bytes > disk().bytes_) return -ENOSPC;
    if (disk().shared_->refuses_writes) return -EIO;
    if (!disk().shared_->append(false, at, data, bytes)) return -EIO;
    std::memcpy(disk().content_ + at, data, bytes);
    return static_cast<int>(bytes);
  }

  static int fsync(const char*, int, fuse_file_info*) {
    return disk().shared_->append(true, 0, nullptr, 0) ? 0 : -EIO;
  }

  static fuse_operations operations() {
    fuse_operations all{};
    all.getattr = getattr;
    all.open = open;
    all.read = read;
    all.write = write;
    all.fsync = fsync;
    return all;
  }
};

recording_disk::recording_disk(std::filesystem::path mount_point, std::uint64_t bytes)
    : mount_point_(std::move(mount_point)), bytes_(bytes) {
  if (::access("/dev/fuse", R_OK | W_OK) != 0) throw not_possible("/dev/fuse is missing or not allowed");
  shared_ = new (share_memory(sizeof(shared) + log_bytes)) shared;
  content_ = static_cast<std::byte*>(share_memory(bytes_));
  int ready[2];
  if (::pipe(ready) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  server_ = ::fork();
  if (server_ == 0) {
    ::close(ready[0]);
    serve(ready[1]);
  }
  ::close(ready[1]);
  char answer = 0;
  const bool is_served = ::read(ready[0], &answer, 1) == 1;
  ::close(ready[0]);
  if (!is_served) {
    ::waitpid(server_, nullptr, 0);
    throw not_possible("FUSE file systems cannot be mounted here");
  }
}

void recording_disk::serve(int ready) {
  // Not with the terminal's signals, but with the parent: the kernel then answers what still waits.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Memory for us must not be had by writing back pages through us.
  ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
  const fuse_operations operations = service::operations();
  char name[] = "crash_block";
  char* arguments[] = {name, nullptr};
  fuse_args given = FUSE_ARGS_INIT(1, arguments);
  fuse* const session = ::fuse_new(&given, &operations, sizeof operations, this);
  if (session == nullptr || ::fuse_mount(session, mount_point_.c_str()) != 0) ::_exit(1);
  if (::write(ready, "", 1) != 1) ::_exit(1);
  ::close(ready);
  const int status = ::fuse_loop(session);
  ::_exit(status == 0 ? 0 : 1);
}

recording_disk::~recording_disk() {
  if (::umount2(mount_point_.c_str(), 0) != 0) {
    ::umount2(mount_point_.c_str(), MNT_DETACH);
    ::kill(server_, SIGKILL);
  }
  ::waitpid(server_, nullptr, 0);
  ::munmap(content_, bytes_);
  ::munmap(shared_, sizeof(shared) + log_bytes);
}

std::filesystem::path recording_disk::file() const {
  return mount_point_ / (disk_path + 1);
}

void recording_disk::refuse_writes(bool refuses) {
  shared_->refuses_writes = refuses;
}

std::size_t recording_disk::events() const {
  return shared_->events.load(std::memory_order_acquire);
}

disk_log recording_disk::log() const {
  if (shared_->overflowed) throw std::runtime_error("the disk's log is full: make the run shorter");
  disk_log result;
  result.reserve(events());
  const std::uint64_t end = shared_->end.load(std::memory_order_acquire);
  for (std::uint64_t at = 0; at < end;) {
    record head;
    std::memcpy(&head, shared_->log + at, sizeof head);
    const std::byte* const data = shared_->log + at + sizeof head;
    result.push_back({head.is_flush != 0, head.offset, {data, data + head.bytes}});
    at += sizeof head + head.bytes;
  }
  return result;
}

void recording_disk::forget_log() {
  shared_->events = 0;
  shared_->end = 0;
}

}  // namespace perdure::crash
