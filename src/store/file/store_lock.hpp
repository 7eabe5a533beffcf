// Locks of a store: opening one that another process has open, and turns of a writer and the readers beside
// it.
//
// All locks are open-file-description locks on `super`, which no store can be opened without. Writers lock
// LOCK too; it says who the writer is, and is there before `super`.
//
// | byte of `super` | exclusive | shared |
// |---|---|---|
// | 0 | held by an open writer | held by a reader without a writer |
// | 1 | the writer changes what the last checkpoint has at home | a reader reads it |
// | 2 | a checkpoint is being committed | a reader beside the writer asks which was the last |
// | 3, entrance | a writer waits, to open or for byte 1, and lets no reader in | a reader is about to get in
// | | 4 | only with all others | | | 5, names | a writer gives the names of files to copies | a reader opens
// files by their names | | all | the only one to have the store open | |
//
// A reader that has opened all files needs their names no more. A writer that then comes, and can share
// blocks, leaves it the files, with the `super` that it has locked (readers_files.hpp).
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "os/file.hpp"

namespace perdure::store {

enum class store_access {
  read,                ///< `in_use` while there is a writer
  read_beside_writer,  ///< the same, but beside a writer that admits readers
  inspect,  ///< the same, for the length of one call: children that are forked meanwhile do not keep the lock
  write,    ///< readers are admitted once the writer says so
  write_in_place,  ///< readers are never admitted; those that were there before may keep their files
  alone,           ///< `in_use` while anybody has the store
};

/// How long openings wait that are given no time: the environment's PERDURE_WAIT.
std::chrono::milliseconds usual_wait();
/// Longer is as good as for ever, and could not be added to a clock's time.
inline constexpr std::chrono::milliseconds most_wait = std::chrono::hours(24 * 365);

/// The lock is held while the object lives; when the process dies the kernel releases it.
class store_lock {
 public:
  /// Takes the lock, or throws `store_busy` naming the holder, which it waits for as long as it may. A reader
  /// needs no LOCK file. Throws `no_space`, `io` where a writer cannot leave its files to readers.
  store_lock(const os::file& directory, store_access access, std::chrono::milliseconds wait = {});
  store_lock(store_lock&&) noexcept;
  store_lock& operator=(store_lock&&) noexcept;
  ~store_lock();

  /// To be called by a writer that made `super`, under whatever name, after it had taken the lock.
  void lock_super(const os::file& directory, const char* name);
  /// Locks a file that is to take the place of `super`, beside that. Throws `store_busy`.
  void lock_alone(const os::file& super) const;
  /// To be called with that file when it has the name: the lock on the one before goes.
  void hold_super(os::file super);
  /// To be called by a writer that may have put a new file in the place of LOCK.
  void follow_lock_file(const os::file& directory);
  /// Releases the lock. A child forked from a writer does not have it from its beginning, so that the store
  /// is free once the parent has ended; a child forked from a reader goes on reading, and keeps it.
  void release() noexcept;

  /// The two things at which writer and readers take turns, each by the byte that is locked for it.
  enum class part { home = 1, commit = 2 };
  class turn;

  /// To be called by a writer that opened with `write`, when home holds the last checkpoint. From now on it
  /// must take its turn before it changes what that checkpoint has at home, and before it commits another.
  void admit_readers();
  /// Waits until no reader has that part. The lock must outlive the turn.
  turn take_turn(part what);
  /// The same without waiting.
  std::optional<turn> try_turn(part what);

  /// Releases the names of the files, for a reader that has opened all of them.
  void forget_names() noexcept;
  /// Returns whether the names are still those of the reader's own files. If so, they stay theirs until the
  /// reader forgets them or releases the lock.
  bool recall_names(const os::file& directory);

  /// Returns, for a reader, whether a writer has the store too. While the lock is held nothing changes that
  /// the last checkpoint has at home, nor does its journal.
  bool is_beside_writer() const noexcept;
  /// Describes the writer that has the store in this directory open.
  static std::string describe_writer(const os::file& directory);
  /// Pauses commits for a reader beside a writer: while the turn lives no checkpoint is committed. Throws
  /// `in_use` if the writer does not end the commit that is under way.
  turn pause_commits() const;

 private:
  struct held_files;
  void enter_to_read(const os::file& directory, std::chrono::milliseconds wait);
  void enter_to_write(const os::file& directory, std::chrono::steady_clock::time_point deadline);
  void tell(std::string_view who) const noexcept;
  void take_lock_file(const os::file& directory, std::chrono::steady_clock::time_point deadline);
  void take_super(const os::file& directory, std::chrono::steady_clock::time_point deadline);

  std::unique_ptr<held_files> held_;
};

class store_lock::turn {
 public:
  turn(turn&& other) noexcept : super_(std::exchange(other.super_, nullptr)), what_(other.what_) {}
  turn& operator=(turn&&) = delete;
  ~turn();

 private:
  friend class store_lock;
  turn(const os::file& super, part what) : super_(&super), what_(what) {}

  const os::file* super_;
  part what_;
};

}  // namespace perdure::store
