// Finds out who has a file open, in /proc.
#include "os/open_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perdure::os {

namespace {

bool has_open(const std::filesystem::path& process, const struct stat& wanted) {
  std::error_code none;
  for (std::filesystem::directory_iterator at(process / "fd", none), end; !none && at != end;
       at.increment(none)) {
    struct stat found;
    // A descriptor that was closed meanwhile is not found.
    if (::stat(at->path().c_str(), &found) == 0 && found.st_ino == wanted.st_ino &&
        found.st_dev == wanted.st_dev)
      return true;
  }
  return false;
}

}  // namespace

std::vector<file_user> other_users_of(const file& opened) {
  std::vector<file_user> users;
  struct stat wanted;
  if (::fstat(opened.descriptor(), &wanted) != 0) return users;
  std::error_code none;
  for (std::filesystem::directory_iterator at("/proc", none), end; !none && at != end; at.increment(none)) {
    const std::string name = at->path().filename().string();
    pid_t process = 0;
    const auto [last, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (failure != std::errc{} || last != name.data() + name.size() || process == ::getpid()) continue;
    if (!has_open(at->path(), wanted)) continue;
    std::string command;
    std::getline(std::ifstream(at->path() / "comm"), command);
    users.push_back({process, command});
  }
  return users;
}

}  // namespace perdure::os
