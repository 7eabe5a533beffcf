#include "pager/publication.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/signals_blocked.hpp"
#include "os/file.hpp"
#include "os/futex.hpp"
#include "os/system_error.hpp"
#include "pager/mapped_file.hpp"
#include "pager/publication_format.hpp"

namespace perdure::pager::detail {

namespace {

constexpr timespec interval{0, 250'000'000};

std::int64_t nanoseconds(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// As much of the end of the text as fits, ended by a zero.
template <std::size_t size>
void put_end_of(const std::string& text, std::array<char, size>& to) noexcept {
  const std::size_t bytes = std::min(text.size(), size - 1);
  to.fill('\0');
  std::memcpy(to.data(), text.data() + text.size() - bytes, bytes);
}

std::string command_of_process() {
  std::ifstream file("/proc/self/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

struct made_file {
  os::file file;
  std::filesystem::path path;
};

/// A file that is locked before it has a name, so that whoever finds one that is not locked knows that its
/// process has ended.
made_file make_file_in(const std::filesystem::path& directory) {
  made_file made;
  made.file = os::file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), directory);
  if (!made.file) os::throw_errno("make a file in", directory.string());
  // Not a lock of the open file, which forked children would keep.
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(made.file.descriptor(), F_SETLK, &all) != 0)
    os::throw_errno("lock a file in", directory.string());
  const std::string link = "/proc/self/fd/" + std::to_string(made.file.descriptor());
  for (std::uint32_t i = 0;; ++i) {
    made.path = directory / (publication_prefix + std::to_string(::getpid()) + '.' + std::to_string(i));
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, made.path.c_str(), AT_SYMLINK_FOLLOW) == 0) return made;
    // A process of another namespace, or of another user, may have the same number.
    if (errno != EEXIST || i == 1000) os::throw_errno("name a file in", directory.string());
  }
}

/// In the first directory that takes it.
made_file make_file() {
  const std::vector<std::filesystem::path> directories = publication_directories();
  for (std::size_t i = 0;; ++i) {
    try {
      return make_file_in(directories[i]);
    } catch (const std::system_error&) {
      if (i + 1 == directories.size()) throw;
    }
  }
}

}  // namespace

/// Of a process, for ever: its thread may be about to publish while the process ends.
class publisher {
 public:
  /// Null in a child that was forked, until it publishes something itself.
  static std::atomic<publisher*> of_process;

  static publisher& of_this_process() {
    static std::mutex making;
    const std::scoped_lock lock(making);
    if (of_process.load() == nullptr) {
      auto made = std::make_unique<publisher>();
      const base::signals_blocked none_in_the_thread;
      pthread_t thread;
      if (const int failed = ::pthread_create(&thread, nullptr, &publisher::run, made.get()); failed != 0)
        os::throw_errno("start a thread", "", failed);
      ::pthread_detach(thread);
      static const bool is_watched = watch_forks_and_the_end();
      static_cast<void>(is_watched);
      of_process = made.release();
    }
    return *of_process.load();
  }

  std::uint64_t add(const mapped_file& file, const std::string& name, const options& wanted) {
    const std::scoped_lock lock(changing_);
    if (!file_.file) file_ = make_file();
    regions_.push_back({next_id_, &file, name, wanted, nanoseconds(CLOCK_MONOTONIC)});
    publish();
    calls_.fetch_add(1);
    os::wake(calls_);
    return next_id_++;
  }

  void remove(std::uint64_t id) noexcept {
    const std::scoped_lock lock(changing_);
    std::erase_if(regions_, [id](const entry& one) { return one.id == id; });
    if (regions_.empty()) remove_file();
  }

 private:
  struct entry {
    std::uint64_t id;
    const mapped_file* file;
    std::string name;
    options wanted;
    std::int64_t mapped;
  };

  static bool watch_forks_and_the_end() {
    ::pthread_atfork(nullptr, nullptr, [] { of_process = nullptr; });
    return std::atexit([] {
             if (publisher* const ended = of_process.load()) ended->end();
           }) == 0;
  }

  static void* run(void* self) noexcept {
    static_cast<publisher*>(self)->publish_repeatedly();
    return nullptr;
  }

  void publish_repeatedly() noexcept {
    for (;;) {
      const std::uint32_t seen = calls_.load();
      bool is_needed = false;
      {
        const std::scoped_lock lock(changing_);
        is_needed = static_cast<bool>(file_.file);
        if (is_needed) publish();
      }
      if (is_needed)
        os::wait_while(never_, 0, interval);
      else
        os::wait_while(calls_, seen);
    }
  }

  // In the lock. Never throws for long: what fails now is tried again.
  void publish() noexcept {
    try {
      struct stat status {};
      struct stat named {};
      // A program may close descriptors that it does not know, and open another file there.
      if (::fstat(file_.file.descriptor(), &status) != 0 || ::stat(file_.path.c_str(), &named) != 0 ||
          status.st_ino != named.st_ino || status.st_dev != named.st_dev)
        return;
      const std::size_t count = std::min(regions_.size(), most_published_regions);
      std::vector<publication_region> records(count);
      for (std::size_t i = 0; i < count; ++i) records[i] = record_of(regions_[i]);
      publication_header header{};
      header.magic = publication_magic;
      header.version = publication_version;
      header.header_bytes = sizeof header;
      header.region_bytes = sizeof(publication_region);
      header.regions = static_cast<std::uint32_t>(count);
      header.pid = ::getpid();
      header.written = nanoseconds(CLOCK_REALTIME);
      put_end_of(command_, header.command);
      header.checksum = checksum_of(header, records.data());
      file_.file.write_at(records.data(), count * sizeof(publication_region), sizeof header);
      file_.file.write_at(&header, sizeof header, 0);
    } catch (const std::exception&) {
      // No memory, or no space there.
    }
  }

  static publication_region record_of(const entry& one) {
    const pager::statistics s = one.file->statistics();
    publication_region record{};
    record.id = one.id;
    record.bytes = one.file->size();
    record.budget = one.wanted.budget;
    record.nanoseconds = static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC) - one.mapped);
    record.mode = static_cast<std::uint32_t>(one.wanted.mode);
    record.tier = static_cast<std::uint32_t>(one.file->tier());
    record.counters = {s.faults,     s.loads,         s.read_ahead,         s.first_stores,
                       s.hot_loads,  s.evictions,     s.evictions_by_touch, s.rescues,
                       s.bytes_read, s.bytes_written, s.resident_bytes,     s.most_resident_bytes};
    static_assert(sizeof record.latency == sizeof s.latency);
    record.latency = s.latency;
    put_end_of(one.name, record.file);
    return record;
  }

  void remove_file() noexcept {
    if (!file_.file) return;
    ::unlink(file_.path.c_str());
    file_.file.close();
  }

  void end() noexcept {
    const std::scoped_lock lock(changing_);
    regions_.clear();
    remove_file();
  }

  const std::string command_ = command_of_process();
  const os::futex_word never_{0};
  os::futex_word calls_{0};
  std::mutex changing_;
  made_file file_;
  std::vector<entry> regions_;
  std::uint64_t next_id_ = 1;
};

std::atomic<publisher*> publisher::of_process{nullptr};

std::unique_ptr<publication> publication::begin(const mapped_file& file, const std::string& name,
                                                const options& wanted) {
  try {
    if (!base::switch_in("PERDURE_PAGER_PUBLISH").value_or(false)) return nullptr;
    publisher& owner = publisher::of_this_process();
    return std::unique_ptr<publication>(new publication(owner, owner.add(file, name, wanted)));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "perdure: the pager's statistics are not published: %s\n", failure.what());
    return nullptr;
  }
}

publication::~publication() {
  // In a forked child its lock may be taken for ever, and its file is the parent's.
  if (publisher::of_process.load() == &owner_) owner_.remove(id_);
}

}  // namespace perdure::pager::detail
