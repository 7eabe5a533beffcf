// Putting a store where another may be, and only a store: anything else at the path is left alone.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <metall/detail/open_store.hpp>
#include <perdure/error.hpp>
#include <string>
#include <system_error>

namespace metall::detail {

/// A name beside `path` that is not in use. The leading dot keeps it out of listings.
inline std::filesystem::path name_beside(const std::filesystem::path& path, const char* const purpose) {
  static std::atomic<unsigned> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return path.parent_path() / ('.' + path.filename().string() + '.' + purpose + '-' + std::to_string(now) +
                               '-' + std::to_string(count.fetch_add(1)));
}

/// `already_exists` unless the path is free, after an empty directory there was removed, or holds a store.
/// Returns whether it holds a store.
inline bool require_replaceable(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  if (!fs::exists(fs::symlink_status(path))) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    return false;
  }
  if (native_manager::exists(path)) return true;
  std::error_code not_empty;
  if (fs::is_directory(fs::symlink_status(path)) && fs::remove(path, not_empty)) return false;
  throw perdure::error(
      perdure::errc::already_exists,
      path.string() + ": there is something here that is not a store, so it is not replaced");
}

/// `in_use` if someone has the store open. One that is too damaged to be opened is in nobody's use.
inline void require_unused(const std::filesystem::path& store) {
  try {
    perdure::datastore::open(store)->close();
  } catch (const perdure::error& failure) {
    if (failure.code() != perdure::errc::damaged) throw;
  }
}

/// Removes a store. A failure is logged, and the store stays.
inline void discard_store(const std::filesystem::path& path) noexcept {
  or_else(false, __FILE__, __LINE__, [&] { return native_manager::remove(path); });
}

/// Creates a store at the path in place of the one there. If that fails the old one is back.
inline native_manager create_replacing(const std::filesystem::path& given,
                                       const perdure::store_options& options) {
  namespace fs = std::filesystem;
  const fs::path path = plain_path(given);
  if (!require_replaceable(path)) return native_manager(perdure::create_only, path, options);
  require_unused(path);
  const fs::path old = name_beside(path, "replaced");
  fs::rename(path, old);
  try {
    native_manager created(perdure::create_only, path, options);
    discard_store(old);
    return created;
  } catch (...) {
    if (fs::exists(fs::symlink_status(path))) discard_store(path);
    std::error_code kept_beside;
    fs::rename(old, path, kept_beside);
    throw;
  }
}

/// Lets `make(path)` write a whole store to a free path, then puts it at the destination, in place of the one
/// there. If that fails the old one is kept.
template <class Make>
void put_in_place(const std::filesystem::path& destination, Make&& make) {
  namespace fs = std::filesystem;
  const fs::path path = plain_path(destination);
  if (!require_replaceable(path)) return make(path);
  require_unused(path);
  const fs::path fresh = name_beside(path, "fresh");
  make(fresh);
  const fs::path old = name_beside(path, "replaced");
  try {
    fs::rename(path, old);
    fs::rename(fresh, path);
  } catch (...) {
    if (!fs::exists(fs::symlink_status(path))) {
      std::error_code kept_beside;
      fs::rename(old, path, kept_beside);
    }
    discard_store(fresh);
    throw;
  }
  discard_store(old);
}

}  // namespace metall::detail
