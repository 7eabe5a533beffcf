// Whether a store is at a path, and deleting it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "os/file.hpp"
#include "perdure/datastore.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "store/store_lock.hpp"

namespace perdure::detail {

namespace {

/// Nothing but the store's own files is ever deleted, whatever else someone put beside them.
bool is_store_file(const std::string& name) {
  if (name == "crc" || name == "undo" || name == "jrnl.0" || name == "jrnl.1") return true;
  return name.starts_with("heap.") && name.size() > 5 &&
         name.find_first_not_of("0123456789", 5) == std::string::npos;
}

}  // namespace

bool store_exists(const std::filesystem::path& path) {
  try {
    datastore::inspect(path);
    return true;
  } catch (const error& failure) {
    return failure.code() != errc::not_found && failure.code() != errc::not_a_store;
  }
}

bool remove_store(const std::filesystem::path& path) {
  try {
    datastore::inspect(path);
  } catch (const error& failure) {
    if (failure.code() == errc::not_found) return false;
    // A store that can no longer be opened may still be deleted.
    if (failure.code() == errc::not_a_store || failure.code() == errc::permission_denied) throw;
  }
  try {
    const os::file directory = os::file::open_directory(path);
    store_lock lock(directory, os::lock_mode::exclusive);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (is_store_file(entry.path().filename().string())) names.push_back(entry.path().filename().string());
    // `super` goes after what it describes: an interrupted removal still looks like a store and can be
    // repeated.
    for (const std::string& name : names) os::remove_in(directory, name);
    os::remove_in(directory, "super");
    os::remove_in(directory, "LOCK");
    directory.sync();
    lock.release();
    std::error_code other_files;
    std::filesystem::remove(path, other_files);
  } catch (const std::system_error& failure) {
    const bool denied = failure.code().value() == EACCES || failure.code().value() == EPERM ||
                        failure.code().value() == EROFS;
    throw error(denied ? errc::permission_denied : errc::io,
                path.string() + ": the store cannot be removed: " + failure.what());
  }
  return true;
}

}  // namespace perdure::detail
