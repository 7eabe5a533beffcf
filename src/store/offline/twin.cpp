#include "store/offline/twin.hpp"

#include <sys/stat.h>

#include <string>
#include <system_error>
#include <utility>

#include "store/file/failure.hpp"
#include "store/file/store_busy.hpp"
#include "store/file/store_lock.hpp"

namespace perdure::store {

namespace {

// Twins are made beside these.
std::filesystem::path place_inside(const std::filesystem::path& store) {
  return store / "reader";
}
// Of the directory itself: a symbolic link may be on another file system.
std::filesystem::path place_beside(const std::filesystem::path& store) {
  return std::filesystem::canonical(store);
}

// Only those who may not write to the store's directory make twins beside it.
bool others_may_read(const std::filesystem::path& store) {
  struct stat status;
  return ::stat(store.c_str(), &status) == 0 && (status.st_mode & 0777) != 0700;
}

}  // namespace

std::unique_ptr<unfinished_store> begin_twin(const std::filesystem::path& path, const os::file& directory) {
  std::vector<std::filesystem::path> places{place_inside(path)};
  // What is beside a mounted file system is on another one, with which it shares no blocks.
  if (!os::is_mount_point(place_beside(path))) places.push_back(place_beside(path));
  std::string refusal;
  for (const std::filesystem::path& place : places) {
    try {
      return std::make_unique<unfinished_store>(place, store_access::alone);
    } catch (const std::system_error& failure) {
      if (!is_refusal(failure)) throw;
      refusal = failure.code().message();
    }
  }
  throw store_busy(path, obstacle::no_files,
                   store_lock::describe_writer(directory) +
                       ", and this reader can make no files in its directory or beside it, by which it would "
                       "leave the writer alone (" +
                       refusal + ")");
}

std::vector<std::string> remove_abandoned_twins(const std::filesystem::path& path) noexcept {
  std::vector<std::string> removed;
  try {
    removed = remove_unfinished(place_inside(path));
    if (!others_may_read(path)) return removed;
    for (std::string& name : remove_unfinished(place_beside(path))) removed.push_back(std::move(name));
  } catch (const std::exception&) {
  }
  return removed;
}

}  // namespace perdure::store
