#include "store/store_lock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <perdure/error.hpp>
#include <system_error>
#include <vector>

namespace perdure {

namespace {

struct lock_list {
  std::mutex mutex;
  std::vector<os::file*> of_writers;
};

// Never destroyed: a store may be closed after static objects have gone.
lock_list& every_lock() {
  static lock_list& list = *new lock_list;
  return list;
}

// A lock belongs to the open file, which a child shares with its parent: it would be held as long as any
// child lives.
void watch_forks() {
  static const int registered =
      ::pthread_atfork([] { every_lock().mutex.lock(); }, [] { every_lock().mutex.unlock(); },
                       [] {
                         for (os::file* file : every_lock().of_writers) file->close();
                         every_lock().of_writers.clear();
                         every_lock().mutex.unlock();
                       });
  static_cast<void>(registered);
}

void let_go_in_children(os::file& file) {
  watch_forks();
  const std::scoped_lock lock(every_lock().mutex);
  every_lock().of_writers.push_back(&file);
}

void close_for_good(os::file& file) noexcept {
  const std::scoped_lock lock(every_lock().mutex);
  std::erase(every_lock().of_writers, &file);
  file.close();
}

}  // namespace

struct store_lock::held_files {
  explicit held_files(os::lock_mode wanted) : mode(wanted) {}
  held_files(const held_files&) = delete;
  held_files& operator=(const held_files&) = delete;
  ~held_files() {
    close_for_good(super);
    close_for_good(lock);
  }

  os::lock_mode mode;
  int owner = ::getpid();
  os::file lock{};
  os::file super{};
};

namespace {

// `lock` may not be open, or be a new file in the place of the one that the holder has.
std::string holder_of(const os::file& lock, const os::file& super) {
  for (const os::file* const one : {&lock, &super}) {
    if (*one && one->foreign_lock() == os::lock_mode::shared)
      return "it is open for reading by another process";
  }
  std::array<char, 512> text{};
  const std::size_t got = lock ? lock.read_at(text.data(), text.size() - 1, 0) : 0;
  std::string holder(text.data(), got);
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  if (holder.empty()) return "it is open for writing by another process";
  return "it is open for writing by " + holder;
}

// Opens and locks a file. Not open where there is none.
os::file lock_file(const os::file& directory, const char* name, int flags, os::lock_mode mode,
                   bool& is_free) {
  for (;;) {
    os::file file;
    try {
      file = os::file::open_in(directory, name, flags);
    } catch (const std::system_error& failure) {
      if ((flags & O_CREAT) == 0 && failure.code().value() == ENOENT) return {};
      throw;
    }
    is_free = file.try_lock(mode);
    // Else the name is that of another file by now, on which the lock must be.
    if (!is_free || os::is_named(directory, name, file)) return file;
  }
}

}  // namespace

store_lock::store_lock(const os::file& directory, os::lock_mode mode)
    : held_(std::make_unique<held_files>(mode)) {
  const bool writer = mode == os::lock_mode::exclusive;
  // Without LOCK, which somebody may have removed, the lock on `super` is what counts.
  take(held_->lock, directory, "LOCK", writer ? O_RDWR | O_CREAT : O_RDONLY);
  take(held_->super, directory, "super", writer ? O_RDWR : O_RDONLY);
  if (!writer) return;
  const os::process_identity self = os::this_process();
  const std::string text =
      "process " + std::to_string(self.pid) + " on host " + self.host + " (boot " + self.boot_id + ")\n";
  // Only for the message others get: no need to be durable, nor to succeed on a full disk.
  try {
    held_->lock.resize(0);
    held_->lock.write_at(text.data(), text.size(), 0);
  } catch (const std::system_error&) {
  }
}

void store_lock::lock_super(const os::file& directory) {
  take(held_->super, directory, "super", O_RDWR);
}

void store_lock::take(os::file& to, const os::file& directory, const char* name, int flags) {
  bool is_free = true;
  os::file file = lock_file(directory, name, flags, held_->mode, is_free);
  if (!is_free) {
    throw error(errc::in_use, directory.path().string() +
                                  " is in use: " + holder_of(&to == &held_->lock ? file : held_->lock, file));
  }
  to = std::move(file);
  if (to && held_->mode == os::lock_mode::exclusive) let_go_in_children(to);
}

store_lock::store_lock(store_lock&&) noexcept = default;

store_lock& store_lock::operator=(store_lock&& other) noexcept {
  release();
  held_ = std::move(other.held_);
  return *this;
}

store_lock::~store_lock() {
  release();
}

void store_lock::release() noexcept {
  if (!held_) return;
  if (held_->lock && held_->mode == os::lock_mode::exclusive && held_->owner == ::getpid()) {
    try {
      held_->lock.resize(0);
    } catch (const std::system_error&) {
    }
  }
  held_.reset();
}

}  // namespace perdure
