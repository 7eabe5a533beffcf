#include "store/file/store_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <perdure/error.hpp>
#include <system_error>

#include "store/file/super_block.hpp"

namespace perdure {

namespace {

[[noreturn]] void throw_exists(const std::filesystem::path& path) {
  throw error(errc::already_exists, path.string() + " exists already: open it, or choose another path");
}

std::filesystem::path hidden_name(const std::filesystem::path& path) {
  std::string name(1, '.');
  name.append(path.filename().string()).append(".new-").append(to_text(random_uuid()), 0, 8);
  return parent_of(path) / name;
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

unfinished_store::unfinished_store(const std::filesystem::path& path)
    : path_(path), hidden_(hidden_name(path)), parent_(os::file::open_directory(parent_of(path))) {
  os::make_directory(hidden_);
  if (is_empty_directory(path_))
    std::filesystem::permissions(hidden_, std::filesystem::status(path_).permissions());
}

unfinished_store::~unfinished_store() {
  std::error_code ignored;
  if (!finished_) std::filesystem::remove_all(hidden_, ignored);
}

void unfinished_store::publish() {
  try {
    os::rename_directory(hidden_, path_);
  } catch (const std::system_error& failure) {
    const int code = failure.code().value();
    if (code != EEXIST && code != ENOTEMPTY && code != ENOTDIR) throw;
    throw_exists(path_);
  }
  finished_ = true;
  parent_.sync();
}

bool is_empty_directory(const std::filesystem::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  std::error_code failure;
  return std::filesystem::is_empty(path, failure) && !failure;
}

void require_free(const std::filesystem::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && !is_empty_directory(path)) throw_exists(path);
}

}  // namespace perdure
