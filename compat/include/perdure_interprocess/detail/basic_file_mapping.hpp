// Removing what is at a path: a store, which is a directory, or a file.
#pragma once

#include <boost/interprocess/detail/os_file_functions.hpp>
#include <exception>
#include <filesystem>
#include <perdure/manager.hpp>

namespace perdure_interprocess {

namespace detail {

/// False if there is neither, or it cannot be removed.
inline bool remove_store_or_file(const std::filesystem::path& path) {
  try {
    if (std::filesystem::is_directory(path)) return perdure::manager::remove(path);
    return boost::interprocess::ipcdetail::delete_file(path.c_str());
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace detail

/// Boost's file_mapping, by whatever name it has, whose `remove` knows stores too.
template <class Boosts>
class basic_file_mapping : public Boosts {
 public:
  using Boosts::Boosts;

  /// Removes the store, or the file, at the path. False if there is neither, or it cannot be removed.
  static bool remove(const std::filesystem::path& path) { return detail::remove_store_or_file(path); }
};

/// Removes the store, or the file, at the path when it goes.
class remove_file_on_destroy {
 public:
  explicit remove_file_on_destroy(const char* path) : path_(path) {}
  remove_file_on_destroy(const remove_file_on_destroy&) = delete;
  remove_file_on_destroy& operator=(const remove_file_on_destroy&) = delete;
  ~remove_file_on_destroy() { detail::remove_store_or_file(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace perdure_interprocess
