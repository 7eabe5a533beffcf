// A directory made to look as a disk image says, again and again, changing only what differs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "crash/call_recorder.hpp"
#include "crash/disk_image.hpp"
#include "os/file.hpp"

namespace perdure::crash {

class state_directory {
 public:
  explicit state_directory(std::filesystem::path root);

  void become(const disk_image& image);
  /// Tells it what has happened to the directory since.
  void happened(const call_log& log);
  const disk_image& now() const { return now_; }
  identities known() const;
  const std::filesystem::path& root() const { return root_; }

 private:
  struct held_file {
    os::file file;
    ino_t identity = 0;
    inode_number number = 0;
    bool is_directory = false;
  };
  void make(const std::string& path, bool is_directory);
  void drop(const std::string& path);
  void reopen();
  void rewrite(const held_file& file, const inode& from, const inode& to);

  std::filesystem::path root_;
  ino_t root_identity_ = 0;
  disk_image now_;
  std::map<std::string, held_file> held_;
};

}  // namespace perdure::crash
