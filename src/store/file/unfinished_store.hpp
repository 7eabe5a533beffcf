// A store while it is being made: nobody ever sees half of one.
//
// It is made under a hidden name beside its place and renamed when it is complete and durable. What a crash
// leaves is a directory `.NAME.new-XXXXXXXX` whose LOCK nobody holds. An empty directory in its place gives
// it its permissions, and goes.
//
// Where that cannot be replaced (something is mounted there, or it is `.`, or what it stands in must not be
// written to) the store is made inside it. Until it is complete and durable `super`, without which a
// directory is no store, is called `super.new`. That name is made, and made durable, before any other but
// LOCK, so whatever files a crash leaves can be told from those of a store that has lost its `super`. The
// next who makes a store there removes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/file.hpp"
#include "store/file/store_lock.hpp"

namespace perdure::store {

class unfinished_store {
 public:
  /// Begins to make a store at the place, with its lock. Throws `in_use` where another process is making one
  /// in the same directory, `already_exists`.
  unfinished_store(const std::filesystem::path& place, store_access access);
  unfinished_store(const unfinished_store&) = delete;
  unfinished_store& operator=(const unfinished_store&) = delete;
  /// Removes what was not published.
  ~unfinished_store();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Where its files are to be made.
  const os::file& directory() const noexcept { return directory_; }
  /// Returns the name of its `super` until it is published.
  const char* super_name() const noexcept;
  store_lock& lock() noexcept { return *lock_; }
  /// Makes it the store at its place, durably; all its files must be. Returns the lock. Throws
  /// `already_exists`.
  store_lock publish();

 private:
  explicit unfinished_store(const std::filesystem::path& place);
  void begin_beside(store_access access);
  void begin_in_place(store_access access);
  void remove_files() noexcept;

  std::filesystem::path place_;
  bool is_in_place_;
  std::filesystem::path path_;
  os::file directory_{};
  std::optional<store_lock> lock_{};
  bool is_begun_ = false;  // what is there may be removed
};

/// Removes what a crash left: a hidden directory in another, with its LOCK last, so that whatever is left of
/// it can be recognised. The caller holds its lock, or it has none and is empty. Throws std::system_error.
void remove_unfinished_directory(const os::file& parent, const std::string& name);

/// Removes the hidden directories that killed processes left beside this place while they made a store there,
/// and returns their names. Leaves those alone whose LOCK another process holds, and those that it cannot
/// remove. Whoever makes a store calls it first; lists the parent directory.
std::vector<std::string> remove_unfinished(const std::filesystem::path& place) noexcept;

/// For tests: from now on stores are made inside empty directories wherever these are.
void make_stores_in_place(bool wanted) noexcept;

}  // namespace perdure::store
