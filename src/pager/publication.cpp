// Writes the statistics of this process's regions into a file in memory that other processes read, by a
// thread that keeps it new.
#include "pager/publication.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "base/environment.hpp"
#include "base/signals_blocked.hpp"
#include "os/file.hpp"
#include "os/forks.hpp"
#include "os/system_error.hpp"
#include "pager/mapped_file.hpp"
#include "pager/publication_format.hpp"

namespace perdure::pager::detail {

namespace {

std::int64_t nanoseconds(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

/// One for each process, never destroyed: its thread may be about to publish while the process ends.
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
      std::thread([self = made.get()] { self->publish_repeatedly(); }).detach();
      static constexpr os::fork_handlers handlers{.in_child = &publisher::leave_to_parent};
      os::watch_forks(os::fork_layer::publications, handlers);
      of_process = made.release();
    }
    return *of_process.load();
  }

  publisher() : file_(::memfd_create(publication_name, MFD_CLOEXEC), publication_name) {
    if (!file_ || ::fstat(file_.descriptor(), &made_) != 0) os::throw_errno("make a file in memory", "");
  }

  std::uint64_t add(const mapped_file& file, const std::string& name, const options& wanted) {
    const std::scoped_lock lock(changing_);
    regions_.push_back({++last_id_, &file, name, wanted, nanoseconds(CLOCK_MONOTONIC)});
    publish();
    changed_.notify_one();
    return last_id_;
  }

  void remove(std::uint64_t id) noexcept {
    const std::scoped_lock lock(changing_);
    std::erase_if(regions_, [id](const entry& one) { return one.id == id; });
    publish();
  }

 private:
  struct entry {
    std::uint64_t id;
    const mapped_file* file;
    std::string name;
    options wanted;
    std::int64_t mapped;
  };

  // A child would be taken for who publishes.
  static void leave_to_parent() {
    const publisher* const of_parent = of_process.exchange(nullptr);
    if (of_parent != nullptr && of_parent->has_file()) ::close(of_parent->file_.descriptor());
  }

  // A program may close descriptors that it does not know, and open another file there.
  bool has_file() const noexcept {
    struct stat now {};
    return ::fstat(file_.descriptor(), &now) == 0 && now.st_ino == made_.st_ino && now.st_dev == made_.st_dev;
  }

  void publish_repeatedly() noexcept {
    std::unique_lock lock(changing_);
    for (;;) {
      changed_.wait(lock, [this] { return !regions_.empty(); });
      publish();
      changed_.wait_for(lock, std::chrono::milliseconds(250));
    }
  }

  // With the lock held. A failure is no more than a publication that is late: the next call tries again.
  void publish() noexcept {
    try {
      if (!has_file()) return;
      std::vector<publication_region> records(std::min(regions_.size(), most_published_regions));
      std::transform(regions_.begin(), regions_.begin() + static_cast<std::ptrdiff_t>(records.size()),
                     records.begin(), record_of);
      publication_header header{publication_magic, 0, sizeof(publication_region), records.size(),
                                nanoseconds(CLOCK_REALTIME)};
      header.checksum = checksum_of(header, records.data());
      file_.write_at(records.data(), records.size() * sizeof(publication_region), sizeof header);
      file_.write_at(&header, sizeof header, 0);
    } catch (const std::exception&) {
      // There is no memory.
    }
  }

  static publication_region record_of(const entry& one) {
    publication_region record{one.id,
                              one.file->size(),
                              one.wanted.budget,
                              static_cast<std::uint64_t>(nanoseconds(CLOCK_MONOTONIC) - one.mapped),
                              one.wanted.mode,
                              one.file->tier(),
                              one.file->statistics(),
                              {}};
    // As much of its end as fits, and a zero.
    const std::size_t bytes = std::min(one.name.size(), record.file.size() - 1);
    std::memcpy(record.file.data(), one.name.data() + one.name.size() - bytes, bytes);
    return record;
  }

  const os::file file_;
  struct stat made_ {};
  std::mutex changing_;
  std::condition_variable changed_;
  std::vector<entry> regions_;
  std::uint64_t last_id_ = 0;
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
  // In a forked child the publisher's lock may be taken for ever, and its file is the parent's.
  if (publisher::of_process.load() == &owner_) owner_.remove(id_);
}

}  // namespace perdure::pager::detail
