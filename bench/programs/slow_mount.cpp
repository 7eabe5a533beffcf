// A directory seen through a slow network: a FUSE file system that passes every call on to another directory,
// and answers after a round trip, and after the bytes that were sent went over a link of a certain speed.
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

using clock_type = std::chrono::steady_clock;

/// One for all calls: round trips of several go on at once, bytes one after the other.
class network {
 public:
  network(std::filesystem::path home, std::chrono::microseconds round_trip, double bytes_per_second)
      : home_(std::move(home)), round_trip_(round_trip), bytes_per_second_(bytes_per_second) {}

  std::string at_home(const char* path) const { return home_.string() + path; }

  /// Returns when the answer would be there.
  void carry(std::size_t bytes = 0) {
    const clock_type::time_point now = clock_type::now();
    clock_type::time_point sent = now;
    if (bytes != 0) {
      const std::chrono::duration<double> taken(static_cast<double>(bytes) / bytes_per_second_);
      const std::lock_guard lock(mutex_);
      free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<clock_type::duration>(taken);
      sent = free_at_;
    }
    std::this_thread::sleep_until(sent + round_trip_);
  }

 private:
  std::filesystem::path home_;
  std::chrono::microseconds round_trip_;
  double bytes_per_second_;
  std::mutex mutex_;
  clock_type::time_point free_at_{};  // when the link has sent what it was given
};

network& net() {
  return *static_cast<network*>(::fuse_get_context()->private_data);
}

/// 0, or the error as FUSE wants it.
int answer(int result) {
  return result < 0 ? -errno : 0;
}

int file_of(const fuse_file_info* info) {
  return static_cast<int>(info->fh);
}

void* start(fuse_conn_info* connection, fuse_config* config) {
  // As clients of network file systems do: the page cache collects what is written, many requests are under
  // way at once, and attributes are believed for a second. What another client may have written meanwhile is
  // read anew when a file is opened.
  connection->want |= connection->capable & FUSE_CAP_WRITEBACK_CACHE;
  connection->max_background = 64;
  connection->congestion_threshold = 48;
  config->attr_timeout = config->entry_timeout = 1;
  return ::fuse_get_context()->private_data;
}

int get_attributes(const char* path, struct stat* status, fuse_file_info* info) {
  net().carry();
  return answer(info != nullptr ? ::fstat(file_of(info), status)
                                : ::lstat(net().at_home(path).c_str(), status));
}

int list(const char* path, void* names, fuse_fill_dir_t fill, off_t, fuse_file_info*, fuse_readdir_flags) {
  net().carry();
  DIR* const directory = ::opendir(net().at_home(path).c_str());
  if (directory == nullptr) return -errno;
  while (const dirent* const entry = ::readdir(directory))
    if (fill(names, entry->d_name, nullptr, 0, fuse_fill_dir_flags{}) != 0) break;
  ::closedir(directory);
  return 0;
}

int make_directory(const char* path, mode_t mode) {
  net().carry();
  return answer(::mkdir(net().at_home(path).c_str(), mode));
}

int remove_file(const char* path) {
  net().carry();
  return answer(::unlink(net().at_home(path).c_str()));
}

int remove_directory(const char* path) {
  net().carry();
  return answer(::rmdir(net().at_home(path).c_str()));
}

int rename_file(const char* from, const char* to, unsigned flags) {
  net().carry();
  return answer(
      ::renameat2(AT_FDCWD, net().at_home(from).c_str(), AT_FDCWD, net().at_home(to).c_str(), flags));
}

// The page cache reads what is around a short write, and has its own place for each: no O_APPEND and no file
// that is only for writing.
int flags_of(const fuse_file_info* info) {
  const int flags = info->flags & ~(O_APPEND | O_DIRECT);
  return (flags & O_ACCMODE) == O_WRONLY ? (flags & ~O_ACCMODE) | O_RDWR : flags;
}

int open_file(const char* path, fuse_file_info* info) {
  net().carry();
  const int file = ::open(net().at_home(path).c_str(), flags_of(info) | O_CLOEXEC);
  if (file < 0) return -errno;
  info->fh = static_cast<std::uint64_t>(file);
  return 0;
}

int create_file(const char* path, mode_t mode, fuse_file_info* info) {
  net().carry();
  const int file = ::open(net().at_home(path).c_str(), flags_of(info) | O_CREAT | O_CLOEXEC, mode);
  if (file < 0) return -errno;
  info->fh = static_cast<std::uint64_t>(file);
  return 0;
}

int close_file(const char*, fuse_file_info* info) {
  return answer(::close(file_of(info)));
}

int read_file(const char*, char* to, std::size_t bytes, off_t offset, fuse_file_info* info) {
  const ssize_t got = ::pread(file_of(info), to, bytes, offset);
  if (got < 0) return -errno;
  net().carry(static_cast<std::size_t>(got));
  return static_cast<int>(got);
}

int write_file(const char*, const char* from, std::size_t bytes, off_t offset, fuse_file_info* info) {
  net().carry(bytes);
  const ssize_t put = ::pwrite(file_of(info), from, bytes, offset);
  return put < 0 ? -errno : static_cast<int>(put);
}

int set_size(const char* path, off_t size, fuse_file_info* info) {
  net().carry();
  return answer(info != nullptr ? ::ftruncate(file_of(info), size)
                                : ::truncate(net().at_home(path).c_str(), size));
}

int set_mode(const char* path, mode_t mode, fuse_file_info*) {
  net().carry();
  return answer(::chmod(net().at_home(path).c_str(), mode));
}

int set_times(const char* path, const timespec times[2], fuse_file_info* info) {
  net().carry();
  return answer(info != nullptr ? ::futimens(file_of(info), times)
                                : ::utimensat(AT_FDCWD, net().at_home(path).c_str(), times, 0));
}

int sync_file(const char*, int is_data_only, fuse_file_info* info) {
  net().carry();
  return answer(is_data_only != 0 ? ::fdatasync(file_of(info)) : ::fsync(file_of(info)));
}

int sync_directory(const char*, int, fuse_file_info*) {
  net().carry();
  return 0;
}

int allocate(const char*, int mode, off_t offset, off_t bytes, fuse_file_info* info) {
  net().carry();
  return answer(::fallocate(file_of(info), mode, offset, bytes));
}

off_t find_data(const char*, off_t offset, int whence, fuse_file_info* info) {
  net().carry();
  const off_t found = ::lseek(file_of(info), offset, whence);
  return found < 0 ? -errno : found;
}

int tell_of_space(const char* path, struct statvfs* status) {
  net().carry();
  return answer(::statvfs(net().at_home(path).c_str(), status));
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = start;
  all.getattr = get_attributes;
  all.readdir = list;
  all.mkdir = make_directory;
  all.unlink = remove_file;
  all.rmdir = remove_directory;
  all.rename = rename_file;
  all.open = open_file;
  all.create = create_file;
  all.release = close_file;
  all.read = read_file;
  all.write = write_file;
  all.truncate = set_size;
  all.chmod = set_mode;
  all.utimens = set_times;
  all.fsync = sync_file;
  all.fsyncdir = sync_directory;
  all.fallocate = allocate;
  all.lseek = find_data;
  all.statfs = tell_of_space;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Mounts a directory as if it were at the other end of a network, until it is unmounted.");
  std::filesystem::path home;
  std::string mount_point;
  unsigned round_trip = 500;
  double megabytes_per_second = 112;
  app.add_option("HOME", home, "The directory")->required()->check(CLI::ExistingDirectory);
  app.add_option("MOUNT", mount_point, "Where to mount it")->required()->check(CLI::ExistingDirectory);
  app.add_option("--round-trip", round_trip, "What every call takes, in microseconds")->capture_default_str();
  app.add_option("--bandwidth", megabytes_per_second, "Of the link, in 10^6 bytes a second")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  network slow(std::filesystem::absolute(home), std::chrono::microseconds(round_trip),
               megabytes_per_second * 1e6);
  const fuse_operations served = operations();
  std::string name = "slow_mount";
  std::string foreground = "-f";
  std::string threads = "-omax_threads=64,max_idle_threads=64";  // as many as requests that are under way
  char* arguments[] = {name.data(), foreground.data(), threads.data(), mount_point.data(), nullptr};
  return ::fuse_main(4, arguments, &served, &slow);
}
