// The directory of a store: its path and its opening.
#pragma once

#include <filesystem>

#include "os/file.hpp"

namespace perdure {

/// A path as given, without trailing slashes and dots. Throws `invalid_argument` for an empty one.
std::filesystem::path normalized_store_path(std::filesystem::path given);

/// The directory that a store is in, or is to be made in.
std::filesystem::path parent_of(const std::filesystem::path& store);

/// Opens the directory of an existing store. Throws `not_found`, `not_a_store`.
os::file open_store_directory(const std::filesystem::path& path);

/// A store under construction: made under a hidden name beside its place and renamed when complete and
/// durable, so that no process ever sees half a store. An empty directory in its place is removed, after the
/// store has taken over its permissions. A crash leaves a directory `.NAME.new-XXXXXXXX` whose LOCK no
/// process holds.
class unfinished_store {
 public:
  explicit unfinished_store(const std::filesystem::path& path);
  unfinished_store(const unfinished_store&) = delete;
  unfinished_store& operator=(const unfinished_store&) = delete;
  /// Removes the store, unless it was published.
  ~unfinished_store();

  const std::filesystem::path& path() const noexcept { return hidden_; }
  /// Gives the store its name, durably. Throws `already_exists`.
  void publish();

 private:
  std::filesystem::path path_;
  std::filesystem::path hidden_;
  os::file parent_;
  bool finished_ = false;
};

bool is_empty_directory(const std::filesystem::path& path);
/// Throws `already_exists` when something is at the path but an empty directory, which a store may replace.
void require_free(const std::filesystem::path& path);

}  // namespace perdure
