#include "store/file/readers_files.hpp"

#include <fcntl.h>

#include <string>
#include <system_error>
#include <vector>

#include "os/file_access.hpp"
#include "os/file_clone.hpp"
#include "store/file/failure.hpp"
#include "store/file/file_for_copy.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"

namespace perdure::store {

namespace {

constexpr const char* copies_directory = ".copies.new";

// `super` is the last one: see the head of readers_files.hpp.
std::vector<std::string> files_that_writers_change(const os::file& directory) {
  std::vector<std::string> names;
  for (std::size_t i = 0; os::exists_in(directory, home_files::name_of(i)); ++i)
    names.push_back(home_files::name_of(i));
  for (const std::string& name : {std::string("crc"), journal::name_of(0), journal::name_of(1),
                                  std::string("undo"), std::string("super")})
    if (os::exists_in(directory, name)) names.push_back(name);
  return names;
}

// A file that is not open where that cannot be.
os::file make_copy(const os::file& directory, const os::file& copies, const std::string& name) {
  const os::file original = os::file::open_in(directory, name, O_RDONLY);
  os::file copy = make_file_for_copy(copies, name);
  if (!os::give_same_access(original, copy) || !os::share_blocks(original, copy)) return {};
  copy.sync();
  return copy;
}

class directory_of_copies {
 public:
  explicit directory_of_copies(const os::file& store) : store_(store) {
    remove_abandoned_copies(store);
    os::make_directory(store.path() / copies_directory);
    directory_ = os::file::open_directory(store.path() / copies_directory);
  }
  directory_of_copies(const directory_of_copies&) = delete;
  directory_of_copies& operator=(const directory_of_copies&) = delete;
  ~directory_of_copies() {
    try {
      remove_abandoned_copies(store_);
    } catch (const std::exception&) {
      // The next writer removes them.
    }
  }
  const os::file& opened() const noexcept { return directory_; }

 private:
  const os::file& store_;
  os::file directory_{};
};

os::file replace_files(const os::file& directory, const std::function<void(const os::file& super)>& lock) {
  const directory_of_copies copies(directory);
  const std::vector<std::string> names = files_that_writers_change(directory);
  os::file super;
  for (const std::string& name : names) {
    super = make_copy(directory, copies.opened(), name);
    if (!super) return {};
  }
  lock(super);
  for (const std::string& name : names)
    os::rename_in(directory, std::string(copies_directory) + '/' + name, name);
  directory.sync();
  return super;
}

}  // namespace

os::file leave_files_to_readers(const os::file& directory,
                                const std::function<void(const os::file& super)>& lock) {
  try {
    return replace_files(directory, lock);
  } catch (const std::system_error& failure) {
    if (!is_refusal(failure)) throw;
    return {};
  }
}

void remove_abandoned_copies(const os::file& directory) {
  if (os::exists_in(directory, copies_directory)) os::remove_tree_in(directory, copies_directory);
}

}  // namespace perdure::store
