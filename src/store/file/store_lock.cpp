// Who may open a store: takes and releases the locks on LOCK and on bytes of `super`.
#include "store/file/store_lock.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <perdure/error.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "base/owner_process.hpp"
#include "os/forks.hpp"
#include "os/open_files.hpp"

namespace perdure::store {

namespace {

struct lock_list {
  std::mutex mutex;
  std::vector<os::file*> of_writers;
};

// Never destroyed: a store may be closed after static objects were destroyed.
lock_list& every_lock() {
  static lock_list& list = *new lock_list;
  return list;
}

// A lock belongs to the open file, which a forked child shares with its parent: without this it would be held
// as long as any child lives.
void watch_forks() {
  static constexpr os::fork_handlers handlers{
      .prepare = [] { every_lock().mutex.lock(); },
      .in_parent = [] { every_lock().mutex.unlock(); },
      .in_child =
          [] {
            for (os::file* file : every_lock().of_writers) file->close();
            every_lock().of_writers.clear();
            every_lock().mutex.unlock();
          },
  };
  os::watch_forks(os::fork_layer::store_locks, handlers);
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
  explicit held_files(store_access wanted)
      : access(wanted),
        mode(wanted == store_access::write || wanted == store_access::alone ? os::lock_mode::exclusive
                                                                            : os::lock_mode::shared) {}
  held_files(const held_files&) = delete;
  held_files& operator=(const held_files&) = delete;
  ~held_files() {
    close_for_good(super);
    close_for_good(lock);
  }

  store_access access;
  os::lock_mode mode;
  bool is_beside_writer = false;
  base::owner_process owner{};
  std::filesystem::path store{};
  os::file lock{};
  os::file super{};
};

namespace {

/// What a writer writes into LOCK.
std::string this_process_in_words() {
  const os::process_identity self = os::this_process();
  return "process " + std::to_string(self.pid) + " on host " + self.host + " (boot " + self.boot_id + ")";
}

std::string written_by(const os::file& lock) {
  std::array<char, 512> text{};
  const std::size_t got = lock ? lock.read_at(text.data(), text.size() - 1, 0) : 0;
  std::string holder(text.data(), got);
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  if (holder.empty()) return "it is open for writing by another process";
  if (holder == this_process_in_words()) return "this process has it open for writing already";
  return "it is open for writing by " + holder;
}

std::string read_by(const os::file& locked) {
  constexpr std::size_t most_named = 5;
  const std::vector<os::file_user> users = os::other_users_of(locked);
  std::string readers;
  for (std::size_t i = 0; i < std::min(users.size(), most_named); ++i)
    readers += (i == 0 ? "process " : ", process ") + std::to_string(users[i].process) + " (" +
               users[i].command + ")";
  if (users.size() > most_named) readers += " and " + std::to_string(users.size() - most_named) + " more";
  // Readers of the same process are found by nobody, as are those of other users and hosts.
  if (readers.empty()) readers = "this process, or one that it cannot see";
  return "it is open for reading by " + readers +
         "; close it there first (a program that reads a snapshot of it holds nobody up)";
}

// `lock` may not be open, or it may be a new file in the place of the one that the holder has locked.
std::string holder_of(const os::file& lock, const os::file& super) {
  for (const os::file* const one : {&lock, &super}) {
    if (*one && one->foreign_lock() == os::lock_mode::shared) return read_by(*one);
  }
  return written_by(lock);
}

// Opens and locks a file. Returns a file that is not open if there is none of that name.
os::file lock_file(const os::file& directory, const char* name, int flags, os::lock_mode mode,
                   os::lock_range range, bool& is_free) {
  for (;;) {
    os::file file;
    try {
      file = os::file::open_in(directory, name, flags);
    } catch (const std::system_error& failure) {
      if ((flags & O_CREAT) == 0 && failure.code().value() == ENOENT) return {};
      throw;
    }
    is_free = file.try_lock(mode, range);
    // If not, the name belongs to another file by now, and the lock must be on that one.
    if (!is_free || os::is_named(directory, name, file)) return file;
  }
}

constexpr os::lock_range byte_of(store_lock::part what) noexcept {
  return {static_cast<std::uint64_t>(what), 1};
}

// The bytes that every writer holds from the beginning. A writer that admits readers keeps only the first of
// them.
constexpr os::lock_range of_opening{0, 2};
// Locks are not fair: readers that come one after the other would keep the writer waiting for ever.
constexpr os::lock_range of_entrance{3, 1};
// Only a process that locks the whole file holds this byte.
constexpr os::lock_range of_nobody{4, 1};

void unlock_quietly(const os::file& file, os::lock_range range) noexcept {
  if (!file) return;
  try {
    file.unlock(range);
  } catch (const std::system_error&) {
    // If this fails, the lock is released when the file is closed.
  }
}

bool try_once(const os::file& super, store_lock::part what) {
  if (what != store_lock::part::home) return super.try_lock(os::lock_mode::shared, byte_of(what));
  if (!super.try_lock(os::lock_mode::shared, of_entrance)) return false;
  const bool is_in = super.try_lock(os::lock_mode::shared, byte_of(what));
  super.unlock(of_entrance);
  return is_in;
}

// A writer's turn takes as long as a checkpoint's pages take on their way home.
constexpr std::chrono::seconds longest_wait{60};
constexpr std::chrono::microseconds most_pause{2000};
// Longer than most readers read, and long enough for every reader that asks again after `most_pause`.
constexpr std::chrono::milliseconds entrance_shut{100};
constexpr std::chrono::milliseconds entrance_open{5};

bool try_for_long(const os::file& super, store_lock::part what) {
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  for (auto pause = std::chrono::microseconds(50);; pause = std::min(2 * pause, most_pause)) {
    if (try_once(super, what)) return true;
    if (super.foreign_lock(of_nobody) == os::lock_mode::exclusive ||
        std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

store_lock::store_lock(const os::file& directory, store_access access)
    : held_(std::make_unique<held_files>(access)) {
  held_->store = directory.path();
  const bool may_be_beside = access == store_access::read_beside_writer || access == store_access::inspect;
  if (may_be_beside && try_beside_writer(directory)) return;
  const bool writer = held_->mode == os::lock_mode::exclusive;
  // Somebody may have removed LOCK; the lock on `super` is the one that counts.
  take(held_->lock, directory, "LOCK", writer ? O_RDWR | O_CREAT : O_RDONLY);
  take(held_->super, directory, "super", writer ? O_RDWR : O_RDONLY);
  if (!writer) return;
  const std::string text = this_process_in_words() + '\n';
  // Only for the message that other processes show: it need not be durable, nor succeed on a full disk.
  try {
    held_->lock.resize(0);
    held_->lock.write_at(text.data(), text.size(), 0);
  } catch (const std::system_error&) {
  }
}

void store_lock::lock_super(const os::file& directory, const char* name) {
  take(held_->super, directory, name, O_RDWR);
}

void store_lock::lock_again(const os::file& directory, const std::string& name) {
  os::file& held = name == "super" ? held_->super : held_->lock;
  take(held, directory, name.c_str(), O_RDWR);
}

void store_lock::take(os::file& to, const os::file& directory, const char* name, int flags) {
  const bool is_super = &to == &held_->super;
  const os::lock_range range =
      is_super && held_->access == store_access::write ? of_opening : os::lock_range{};
  bool is_free = true;
  os::file file = lock_file(directory, name, flags, held_->mode, range, is_free);
  if (!is_free) {
    throw error(errc::in_use,
                directory.path().string() + " is in use: " + holder_of(is_super ? held_->lock : file, file));
  }
  to = std::move(file);
  if (to && held_->mode == os::lock_mode::exclusive) let_go_in_children(to);
}

// False if there is no writer, or none that admits readers.
bool store_lock::try_beside_writer(const os::file& directory) {
  for (;;) {
    os::file super;
    try {
      super = os::file::open_in(directory, "super", O_RDONLY);
    } catch (const std::system_error& failure) {
      if (failure.code().value() == ENOENT) return false;
      throw;
    }
    if (super.foreign_lock({0, 1}) != os::lock_mode::exclusive || !try_for_long(super, part::home))
      return false;
    if (!os::is_named(directory, "super", super)) continue;
    held_->super = std::move(super);
    held_->is_beside_writer = true;
    return true;
  }
}

bool store_lock::is_beside_writer() const noexcept {
  return held_->is_beside_writer;
}

std::string store_lock::describe_writer(const os::file& directory) {
  return written_by(os::exists_in(directory, "LOCK") ? os::file::open_in(directory, "LOCK", O_RDONLY)
                                                     : os::file());
}

void store_lock::admit_readers() {
  held_->super.unlock(byte_of(part::home));
}

store_lock::turn store_lock::take_turn(part what) {
  const os::file& super = held_->super;
  if (what != part::home) {
    super.lock(os::lock_mode::exclusive, byte_of(what));
    return {super, what};
  }
  if (auto at_once = try_turn(what)) return std::move(*at_once);
  // Quick readers are all done before the entrance is opened again; beside a slow one, others may come in.
  for (;; std::this_thread::sleep_for(entrance_open)) {
    super.lock(os::lock_mode::exclusive, of_entrance);
    const auto until = std::chrono::steady_clock::now() + entrance_shut;
    bool is_in = false;
    while (!(is_in = super.try_lock(os::lock_mode::exclusive, byte_of(what))) &&
           std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(most_pause / 4);
    super.unlock(of_entrance);
    if (is_in) return {super, what};
  }
}

std::optional<store_lock::turn> store_lock::try_turn(part what) {
  if (!held_->super.try_lock(os::lock_mode::exclusive, byte_of(what))) return std::nullopt;
  return turn(held_->super, what);
}

store_lock::turn store_lock::pause_commits() const {
  if (try_for_long(held_->super, part::commit)) return {held_->super, part::commit};
  throw error(errc::in_use, held_->store.string() + " is in use: its writer does not end with a checkpoint");
}

store_lock::turn::~turn() {
  if (super_ != nullptr) unlock_quietly(*super_, byte_of(what_));
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
  if (held_->lock && held_->mode == os::lock_mode::exclusive && held_->owner.is_here()) {
    try {
      held_->lock.resize(0);
    } catch (const std::system_error&) {
    }
  }
  // Closing alone would not do: a forked child that has the file too would hold the lock.
  if (held_->access == store_access::inspect && held_->owner.is_here()) {
    unlock_quietly(held_->super, {});
    unlock_quietly(held_->lock, {});
  }
  held_.reset();
}

}  // namespace perdure::store
