// The directory of a store: opened, and made under a hidden name until the store is complete.
#include "store/file/store_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <perdure/error.hpp>
#include <system_error>
#include <vector>

#include "store/file/kept_name.hpp"

namespace perdure::store {

namespace {

[[noreturn]] void throw_exists(const std::filesystem::path& path) {
  throw error(errc::already_exists, path.string() + " exists already: open it, or choose another path");
}

}  // namespace

std::filesystem::path normalized_store_path(std::filesystem::path given) {
  if (given.empty()) throw error(errc::invalid_argument, "the path of a datastore must not be empty");
  given = given.lexically_normal();
  return given.has_filename() || !given.has_parent_path() ? given : given.parent_path();
}

std::filesystem::path parent_of(const std::filesystem::path& store) {
  return store.has_parent_path() ? store.parent_path() : std::filesystem::path(".");
}

os::file open_store_directory(const std::filesystem::path& path) {
  try {
    return os::file::open_directory(path);
  } catch (const std::system_error& failure) {
    const int code = failure.code().value();
    if (code == ENOENT)
      throw error(errc::not_found, "there is no datastore " + path.string() + ": the path does not exist");
    if (code == ENOTDIR) {
      throw error(errc::not_a_store,
                  path.string() + " is no datastore: a datastore is a directory, this is not");
    }
    throw;
  }
}

os::file reopened(const os::file& directory, bool writable) {
  return writable ? os::file::open_directory(directory.path()) : os::file(-1, directory.path());
}

namespace {

/// The names in a directory; nothing if it is none, or cannot be read.
std::optional<std::vector<std::string>> names_in(const std::filesystem::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  std::error_code failure;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(path, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().filename() != "lost+found") names.push_back(at->path().filename().string());
  if (failure) return std::nullopt;
  return names;
}

}  // namespace

bool is_empty_directory(const std::filesystem::path& path) {
  const auto names = names_in(path);
  return names && names->empty();
}

bool holds_unfinished_store(const std::filesystem::path& path) {
  const auto names = names_in(path);
  if (!names || names->empty()) return false;
  bool is_marked = names->size() == 1 && names->front() == "LOCK";
  for (const std::string& name : *names) {
    if (name == unfinished_super)
      is_marked = true;
    else if (name != "LOCK" && !is_store_file(name))
      return false;
  }
  return is_marked;
}

bool is_store_file(const std::string& name) {
  for (const char* own :
       {"crc", "undo", "log", "probe.new", "jrnl.0", "jrnl.1", "jrnl.0.new", "jrnl.1.new", "file_lock"})
    if (name == own) return true;
  return name.starts_with("heap.") && name.size() > 5 &&
         name.find_first_not_of("0123456789", 5) == std::string::npos;
}

std::filesystem::path free_place(const std::filesystem::path& path) {
  require_no_kept_name(path);
  std::filesystem::path place = path;
  constexpr int most_links = 40;  // as the kernel follows
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(place, failure); ++links) {
    if (links == most_links)
      throw std::system_error(ELOOP, std::generic_category(), "follow " + path.string());
    place = parent_of(place) / std::filesystem::read_symlink(place);
    if (!place.has_filename()) place = place.parent_path();
  }
  struct stat status;
  if (::lstat(place.c_str(), &status) == 0 && !is_empty_directory(place) && !holds_unfinished_store(place))
    throw_exists(path);
  return place;
}

void require_private_place(const std::filesystem::path& place) {
  struct stat status;
  if (::lstat(place.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || (status.st_mode & S_IWOTH) == 0)
    return;
  throw error(
      errc::permission_denied,
      "every user may write to the directory " + place.string() +
          ", and so replace files of a store in it: take that right away (`chmod o-w`), or name a directory "
          "that does not exist yet; a program that wants it so sets `store_options::others_may_write`");
}

bool is_free(const std::filesystem::path& path) {
  try {
    free_place(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace perdure::store
