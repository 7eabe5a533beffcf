#include "store/file/unfinished_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <perdure/error.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "os/directory_names.hpp"
#include "store/file/store_busy.hpp"
#include "store/file/store_directory.hpp"
#include "store/file/super_block.hpp"

namespace perdure::store {

namespace {

std::atomic<bool> always_in_place{false};

[[noreturn]] void refuse_taken_place(const std::filesystem::path& place) {
  throw error(errc::already_exists, place.string() + " exists already: open it, or choose another path");
}

bool must_be_in_place(const std::filesystem::path& place) {
  if (holds_unfinished_store(place)) return true;
  if (!is_empty_directory(place)) return false;
  return always_in_place || !place.has_filename() || place.filename() == "." || place.filename() == ".." ||
         os::is_mount_point(place) ||
         ::faccessat(AT_FDCWD, parent_of(place).c_str(), W_OK | X_OK, AT_EACCESS) != 0;
}

std::string hidden_prefix(const std::filesystem::path& place) {
  std::string prefix(1, '.');
  prefix += place.filename().string();
  return prefix += ".new-";
}

std::filesystem::path hidden_name(const std::filesystem::path& place) {
  return parent_of(place) / hidden_prefix(place).append(to_text(random_uuid()), 0, 8);
}

bool is_hidden_name(const std::string& name, const std::string& prefix) {
  return name.size() == prefix.size() + 8 && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

/// Removes a hidden directory, unless another process has its lock. Returns whether it is gone.
bool remove_abandoned(const os::file& parent, const std::string& name) noexcept {
  try {
    const os::file directory = os::file::open_directory(parent.path() / name);
    if (!os::exists_in(directory, "LOCK")) {
      os::remove_directory_in(parent, name);  // if it is empty
      return true;
    }
    const store_lock lock(directory, store_access::alone);
    remove_unfinished_directory(parent, name);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Removes the store's files but `super` and LOCK.
void remove_store_files(const os::file& directory) {
  for (const std::string& name : os::names_in(directory.path()))
    if (is_store_file(name)) os::remove_in(directory, name);
}

}  // namespace

unfinished_store::unfinished_store(const std::filesystem::path& place)
    : place_(place),
      is_in_place_(must_be_in_place(place)),
      path_(is_in_place_ ? place : hidden_name(place)) {}

// The destructor runs if this one throws, as the other has made the object.
unfinished_store::unfinished_store(const std::filesystem::path& place, store_access access)
    : unfinished_store(place) {
  if (is_in_place_) {
    begin_in_place(access);
  } else {
    begin_beside(access);
  }
}

void unfinished_store::begin_beside(store_access access) {
  constexpr int attempts = 10;
  for (int attempt = 1;; ++attempt) {
    try {
      os::make_directory(path_);
      is_begun_ = true;
      if (is_empty_directory(place_))
        std::filesystem::permissions(path_, std::filesystem::status(place_).permissions());
      directory_ = os::file::open_directory(path_);
      lock_.emplace(directory_, access);
      return;
    } catch (const std::system_error& failure) {
      if (failure.code() != std::errc::no_such_file_or_directory || attempt == attempts) throw;
    } catch (const store_busy&) {
      if (attempt == attempts) throw;
    }
    // Before it was locked, another process took it for what a crash had left, and removes it.
    is_begun_ = false;
    path_ = hidden_name(place_);
  }
}

void unfinished_store::begin_in_place(store_access access) {
  directory_ = os::file::open_directory(path_);
  // Whoever makes a store here holds it.
  lock_.emplace(directory_, access);
  if (!holds_unfinished_store(path_)) refuse_taken_place(place_);
  is_begun_ = true;
  os::file::open_in(directory_, unfinished_super, O_RDWR | O_CREAT).sync();
  directory_.sync();
  remove_store_files(directory_);
}

const char* unfinished_store::super_name() const noexcept {
  return is_in_place_ ? unfinished_super : "super";
}

void unfinished_store::remove_files() noexcept {
  try {
    if (!is_in_place_) {
      remove_unfinished_directory(os::file::open_directory(parent_of(path_)), path_.filename());
      return;
    }
    remove_store_files(directory_);
    directory_.sync();
    os::remove_in(directory_, unfinished_super);
    os::remove_in(directory_, "LOCK");
  } catch (const std::exception&) {
    // The next who makes a store there removes them.
  }
}

unfinished_store::~unfinished_store() {
  if (is_begun_) remove_files();
}

store_lock unfinished_store::publish() {
  if (is_in_place_) {
    os::rename_in(directory_, unfinished_super, "super");
    is_begun_ = false;
    directory_.sync();
    return std::move(*lock_);
  }
  const os::file parent = os::file::open_directory(parent_of(place_));
  try {
    os::rename_directory(path_, place_);
  } catch (const std::system_error& failure) {
    const int code = failure.code().value();
    if (code != EEXIST && code != ENOTEMPTY && code != ENOTDIR) throw;
    refuse_taken_place(place_);
  }
  is_begun_ = false;
  parent.sync();
  return std::move(*lock_);
}

void remove_unfinished_directory(const os::file& parent, const std::string& name) {
  {
    const os::file directory = os::file::open_directory(parent.path() / name);
    for (const std::string& inside : os::names_in(directory.path()))
      if (inside != "LOCK") os::remove_in(directory, inside);
    os::remove_in(directory, "LOCK");
  }
  os::remove_directory_in(parent, name);
}

std::vector<std::string> remove_unfinished(const std::filesystem::path& place) noexcept {
  std::vector<std::string> removed;
  try {
    const std::string prefix = hidden_prefix(place);
    const os::file parent = os::file::open_directory(parent_of(place));
    for (const std::string& name : os::names_in(parent.path()))
      if (is_hidden_name(name, prefix) && remove_abandoned(parent, name)) removed.push_back(name);
  } catch (const std::exception&) {
    // The next who makes a store there tries again.
  }
  return removed;
}

void make_stores_in_place(bool wanted) noexcept {
  always_in_place = wanted;
}

}  // namespace perdure::store
