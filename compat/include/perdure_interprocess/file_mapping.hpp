// Boost's file_mapping, whose `remove` knows stores too.
#pragma once

#include <boost/interprocess/file_mapping.hpp>
#include <filesystem>
#include <perdure/manager.hpp>
#include <string>

namespace perdure_interprocess {

using boost::interprocess::copy_on_write;
using boost::interprocess::mode_t;
using boost::interprocess::read_only;
using boost::interprocess::read_write;

class file_mapping : public boost::interprocess::file_mapping {
 public:
  using boost::interprocess::file_mapping::file_mapping;

  /// Removes the store, or the file, at the path. False if there is neither, or it cannot be removed.
  static bool remove(const std::filesystem::path& path) {
    try {
      if (std::filesystem::is_directory(path)) return perdure::manager::remove(path);
      return boost::interprocess::file_mapping::remove(path.c_str());
    } catch (const std::exception&) {
      return false;
    }
  }
};

/// Removes the store, or the file, at the path when it goes.
class remove_file_on_destroy {
 public:
  explicit remove_file_on_destroy(const char* path) : path_(path) {}
  remove_file_on_destroy(const remove_file_on_destroy&) = delete;
  remove_file_on_destroy& operator=(const remove_file_on_destroy&) = delete;
  ~remove_file_on_destroy() { file_mapping::remove(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace perdure_interprocess
