// Who may open a store that another has open, and at what a writer and readers beside it take turns.
//
// All locks are open-file-description locks on `super`, which no store can be opened without. LOCK is locked
// too; it says who the writer is, and is there before `super`.
//
// | byte of `super` | exclusive | shared |
// |---|---|---|
// | 0 | held by an open writer | |
// | 1 | the writer changes what the last checkpoint has at home | a reader beside the writer reads it |
// | 2 | a checkpoint is being committed | a reader beside the writer asks which was the last |
// | 3 | the writer waits for byte 1, and for a while lets no reader in | a reader is about to take byte 1 |
// | all | the only one to have the store open | readers without a writer |
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "os/file.hpp"

namespace perdure {

enum class store_access {
  read,                ///< `in_use` while there is a writer
  read_beside_writer,  ///< the same, but a writer that admits readers is no hindrance
  inspect,             ///< the same for one call: children forked meanwhile do not keep the lock
  write,               ///< readers are admitted once the writer says so
  alone,
};

/// Held while the object lives; the kernel lets go of it when the process dies.
class store_lock {
 public:
  /// Takes the lock or throws `in_use` naming the holder. A reader of read-only media needs no LOCK file.
  store_lock(const os::file& directory, store_access access);
  store_lock(store_lock&&) noexcept;
  store_lock& operator=(store_lock&&) noexcept;
  ~store_lock();

  /// To be called by a writer that made `super`, under whatever name, after it had taken the lock.
  void lock_super(const os::file& directory, const char* name);
  /// Lets go. A child forked from a writer has let go from its beginning, so that the store is free once the
  /// parent has ended; one forked from a reader goes on reading, and keeps the lock.
  void release() noexcept;

  /// What takes turns, each by the byte that is locked.
  enum class part { home = 1, commit = 2 };
  class turn;

  /// A writer that opened with `write`, from when home holds the last checkpoint: from now on it must take
  /// its turn before it changes what that checkpoint has at home, and before it commits one.
  void admit_readers();
  /// Waits until no reader has it. The lock must outlive the turn.
  turn take_turn(part what);
  /// The same without waiting.
  std::optional<turn> try_turn(part what);

  /// Of a reader: a writer has the store too. While the lock is held nothing that the last checkpoint has at
  /// home changes, nor its journal.
  bool is_beside_writer() const noexcept;
  /// Says who the writer is that has the store in this directory.
  static std::string describe_writer(const os::file& directory);
  /// Of a reader beside a writer: while it lives no checkpoint is committed. `in_use` if the writer does not
  /// end with one.
  turn pause_commits() const;

 private:
  struct held_files;
  void take(os::file& to, const os::file& directory, const char* name, int flags);
  bool try_beside_writer(const os::file& directory);

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

}  // namespace perdure
