// Locks of a store: takes and releases the locks on LOCK and on bytes of `super`.
#include "store/file/store_lock.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/environment.hpp"
#include "base/owner_process.hpp"
#include "os/file_clone.hpp"
#include "os/forks.hpp"
#include "os/open_files.hpp"
#include "store/file/readers_files.hpp"
#include "store/file/store_busy.hpp"

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

using steady = std::chrono::steady_clock;

constexpr os::lock_range byte_of(store_lock::part what) noexcept {
  return {static_cast<std::uint64_t>(what), 1};
}

// The bytes that every writer holds from the beginning, and readers without a writer. A writer that admits
// readers keeps only the first of them.
constexpr os::lock_range of_opening{0, 2};
constexpr os::lock_range of_writer{0, 1};
// Locks are not fair: readers that come one after the other would keep the writer waiting for ever.
constexpr os::lock_range of_entrance{3, 1};
// Only a process that locks the whole file holds this byte.
constexpr os::lock_range of_nobody{4, 1};
constexpr os::lock_range of_names{5, 1};

}  // namespace

struct store_lock::held_files {
  explicit held_files(store_access wanted)
      : access(wanted),
        is_writer(wanted == store_access::write || wanted == store_access::write_in_place ||
                  wanted == store_access::alone),
        writers_range(wanted == store_access::write ? of_opening : os::lock_range{}) {}
  held_files(const held_files&) = delete;
  held_files& operator=(const held_files&) = delete;
  ~held_files() {
    close_for_good(super);
    close_for_good(lock);
  }

  store_access access;
  bool is_writer;
  os::lock_range writers_range;  // of `super`
  bool is_beside_writer = false;
  bool is_told = false;  // LOCK says who the writer is
  base::owner_process owner{};
  std::filesystem::path store{};
  os::file lock{};
  os::file super{};
};

namespace {

/// Returns the text that a writer writes into LOCK.
std::string this_process_in_words() {
  const os::process_identity self = os::this_process();
  return "process " + std::to_string(self.pid) + " on host " + self.host + " (boot " + self.boot_id + ")";
}

// Returns what the last writer wrote into LOCK, which may be empty, missing, another file by now, or not for
// this user to read.
std::string last_writer(const os::file& directory) {
  std::array<char, 512> text{};
  std::size_t got = 0;
  try {
    got = os::file::open_in(directory, "LOCK", O_RDONLY).read_at(text.data(), text.size() - 1, 0);
  } catch (const std::system_error&) {
  }
  std::string writer(text.data(), got);
  while (!writer.empty() && writer.back() == '\n') writer.pop_back();
  return writer;
}

std::string waiting_writer(const os::file& directory) {
  const std::string writer = last_writer(directory);
  return (writer.empty() ? "another process" : writer) + " waits to open it for writing";
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
  return "it is open for reading by " + readers;
}

// `locked` is the file on which somebody else has a lock.
[[noreturn]] void throw_in_use(const os::file& directory, const os::file& locked) {
  if (locked.foreign_lock() == os::lock_mode::shared)
    throw store_busy(directory.path(), obstacle::readers, read_by(locked));
  const os::file super = os::file::open_if_there(directory, "super", O_RDONLY);
  const bool is_waiting = super && super.foreign_lock(of_writer) == os::lock_mode::shared;
  throw store_busy(directory.path(), obstacle::writer,
                   is_waiting ? waiting_writer(directory) : store_lock::describe_writer(directory));
}

void unlock_quietly(const os::file& file, os::lock_range range) noexcept {
  if (!file) return;
  try {
    file.unlock(range);
  } catch (const std::system_error&) {
    // If this fails, the lock is released when the file is closed.
  }
}

bool pass_entrance(const os::file& super, os::lock_range to) {
  if (!super.try_lock(os::lock_mode::shared, of_entrance)) return false;
  const bool is_in = super.try_lock(os::lock_mode::shared, to);
  super.unlock(of_entrance);
  return is_in;
}

// Sleeps longer each time.
class pauses {
 public:
  static constexpr std::chrono::microseconds longest{2000};

  void pause() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, longest);
  }

 private:
  std::chrono::microseconds next_{50};
};

// A writer's turn takes as long as a checkpoint's pages take on their way home, or as copies of files with
// very many extents take.
constexpr std::chrono::seconds longest_turn{60};
// Longer than most readers read, and long enough for every reader that asks again after a pause.
constexpr std::chrono::milliseconds entrance_shut{100};
constexpr std::chrono::milliseconds entrance_open{5};
// Much longer than readers take to open files by their names.
constexpr std::chrono::milliseconds longest_opening{1000};
// A writer that shuts the entrance for longer waits for readers to close the store.
constexpr std::chrono::milliseconds longest_wait_for_names = longest_opening + std::chrono::milliseconds(500);

bool try_for_long(const os::file& super, store_lock::part what) {
  const auto deadline = steady::now() + longest_turn;
  for (pauses between;; between.pause()) {
    const bool is_in = what == store_lock::part::home ? pass_entrance(super, byte_of(what))
                                                      : super.try_lock(os::lock_mode::shared, byte_of(what));
    if (is_in) return true;
    if (super.foreign_lock(of_nobody) == os::lock_mode::exclusive || steady::now() >= deadline) return false;
  }
}

}  // namespace

std::chrono::milliseconds usual_wait() {
  return std::chrono::seconds(base::number_in("PERDURE_WAIT").value_or(0));
}

store_lock::store_lock(const os::file& directory, store_access access, std::chrono::milliseconds wait)
    : held_(std::make_unique<held_files>(access)) {
  held_->store = directory.path();
  wait = std::clamp(wait, std::chrono::milliseconds(0), most_wait);
  if (held_->is_writer) {
    enter_to_write(directory, steady::now() + wait);
  } else {
    enter_to_read(directory, wait);
  }
}

void store_lock::enter_to_write(const os::file& directory, steady::time_point deadline) {
  // Somebody may have removed LOCK; the lock on `super` is the one that counts.
  take_lock_file(directory, deadline);
  try {
    take_super(directory, deadline);
  } catch (...) {
    if (held_->is_told) tell({});
    throw;
  }
  if (!held_->is_told) tell(this_process_in_words() + '\n');
}

// Only for the message that other processes show: it need not be durable, nor succeed on a full disk.
void store_lock::tell(std::string_view who) const noexcept {
  held_->is_told = !who.empty();
  try {
    held_->lock.resize(0);
    if (!who.empty()) held_->lock.write_at(who.data(), who.size(), 0);
  } catch (const std::system_error&) {
  }
}

void store_lock::take_lock_file(const os::file& directory, steady::time_point deadline) {
  for (pauses between;; between.pause()) {
    os::file lock = os::file::open_in(directory, "LOCK", O_RDWR | O_CREAT);
    const bool is_free = lock.try_lock(os::lock_mode::exclusive);
    // If not, the name belongs to another file by now, and the lock must be on that one.
    if (is_free && os::is_named(directory, "LOCK", lock)) {
      held_->lock = std::move(lock);
      return let_go_in_children(held_->lock);
    }
    if (!is_free && steady::now() >= deadline) throw_in_use(directory, lock);
  }
}

void store_lock::take_super(const os::file& directory, steady::time_point deadline) {
  const auto deadline_for_names = std::max(deadline, steady::now() + longest_opening);
  const bool may_leave_files = held_->access != store_access::alone;
  std::optional<bool> can_leave_files;
  os::file super;
  for (pauses between;; between.pause()) {
    if (!super || !os::is_named(directory, "super", super)) {
      super = os::file::open_if_there(directory, "super", O_RDWR);
      if (!super) return;
    }
    if (super.try_lock(os::lock_mode::exclusive, held_->writers_range)) {
      if (!os::is_named(directory, "super", super)) continue;
      if (held_->access == store_access::write) super.unlock(of_entrance);
      return hold_super(std::move(super));
    }
    // The other may be gone by now.
    if (!super.foreign_lock(held_->writers_range) && steady::now() < deadline_for_names) continue;
    const bool is_behind_readers = super.foreign_lock(of_writer) != os::lock_mode::exclusive;
    if (is_behind_readers && !can_leave_files)
      can_leave_files = may_leave_files && os::can_share_blocks(directory, super);
    const bool leaves_files = is_behind_readers && *can_leave_files;
    if (steady::now() >= (leaves_files ? deadline_for_names : deadline)) throw_in_use(directory, super);
    if (!is_behind_readers || !super.try_lock(os::lock_mode::exclusive, of_entrance)) continue;
    // No reader comes in before this writer from here on.
    if (!held_->is_told) tell(this_process_in_words() + '\n');
    if (!leaves_files || !super.try_lock(os::lock_mode::exclusive, of_names)) continue;
    os::file copy = leave_files_to_readers(directory, [this](const os::file& made) { lock_alone(made); });
    if (copy) return hold_super(std::move(copy));
    can_leave_files = false;
    super.unlock(of_names);
  }
}

void store_lock::lock_alone(const os::file& super) const {
  if (!super.try_lock(os::lock_mode::exclusive, held_->writers_range))
    throw_in_use(os::file::open_directory(held_->store), super);
}

void store_lock::hold_super(os::file super) {
  held_->super = std::move(super);
  let_go_in_children(held_->super);
}

void store_lock::follow_lock_file(const os::file& directory) {
  if (!os::is_named(directory, "LOCK", held_->lock)) take_lock_file(directory, steady::now());
}

void store_lock::lock_super(const os::file& directory, const char* name) {
  os::file super = os::file::open_in(directory, name, O_RDWR);
  lock_alone(super);
  hold_super(std::move(super));
}

void store_lock::enter_to_read(const os::file& directory, std::chrono::milliseconds wait) {
  const auto begin = steady::now();
  const bool may_be_beside = held_->access != store_access::read;
  for (pauses between;; between.pause()) {
    os::file super = os::file::open_if_there(directory, "super", O_RDONLY);
    if (!super) return;
    const bool has_writer = super.foreign_lock(of_writer) == os::lock_mode::exclusive;
    const bool is_in =
        has_writer ? may_be_beside && try_for_long(super, part::home) : pass_entrance(super, of_opening);
    if (is_in) {
      // When both are true no writer gives the names to other files.
      if (!super.try_lock(os::lock_mode::shared, of_names) || !os::is_named(directory, "super", super))
        continue;
      held_->super = std::move(super);
      held_->is_beside_writer = has_writer;
      return;
    }
    if (has_writer) {
      if (steady::now() >= begin + wait) throw_in_use(directory, super);
      continue;
    }
    const bool copies_are_made = super.foreign_lock(of_names) == os::lock_mode::exclusive;
    const std::chrono::milliseconds patience = copies_are_made ? longest_turn : longest_wait_for_names;
    if (steady::now() < begin + std::max(wait, patience)) continue;
    if (super.foreign_lock(of_writer) != os::lock_mode::exclusive)
      throw store_busy(directory.path(), obstacle::waiting_writer,
                       waiting_writer(directory) + " and comes before new readers");
  }
}

void store_lock::forget_names() noexcept {
  if (!held_->is_writer) unlock_quietly(held_->super, of_names);
}

bool store_lock::recall_names(const os::file& directory) {
  return held_->super.try_lock(os::lock_mode::shared, of_names) &&
         os::is_named(directory, "super", held_->super);
}

bool store_lock::is_beside_writer() const noexcept {
  return held_->is_beside_writer;
}

std::string store_lock::describe_writer(const os::file& directory) {
  const std::string writer = last_writer(directory);
  if (writer.empty()) return "it is open for writing by another process";
  if (writer == this_process_in_words()) return "this process has it open for writing already";
  return "it is open for writing by " + writer;
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
    const auto until = steady::now() + entrance_shut;
    bool is_in = false;
    while (!(is_in = super.try_lock(os::lock_mode::exclusive, byte_of(what))) && steady::now() < until)
      std::this_thread::sleep_for(pauses::longest / 4);
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
  throw store_busy(held_->store, obstacle::writer, "its writer does not end with a checkpoint");
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
  if (held_->lock && held_->is_writer && held_->owner.is_here()) tell({});
  // Closing alone would not do: a forked child that has the file too would hold the lock.
  if (held_->access == store_access::inspect && held_->owner.is_here()) {
    unlock_quietly(held_->super, {});
  }
  held_.reset();
}

}  // namespace perdure::store
