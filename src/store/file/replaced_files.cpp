#include "store/file/replaced_files.hpp"

#include <fcntl.h>

#include <algorithm>

#include "os/file_access.hpp"
#include "os/file_clone.hpp"
#include "os/file_extents.hpp"
#include "store/file/file_for_copy.hpp"
#include "store/file/super_block.hpp"

namespace perdure::store {

namespace {

constexpr const char* copies_directory = ".copies.new";

void copy_bytes(const os::file& from, const os::file& to) {
  const std::uint64_t size = from.size();
  to.resize(size);
  for (const os::file_part& data : os::data_within(from.descriptor(), 0, size))
    os::copy_range(from, to, data.begin, data.end - data.begin);
}

// A file that is not open where that cannot be.
os::file make_copy(const os::file& directory, const os::file& copies, const std::string& name,
                   how_to_copy how) {
  const os::file original = os::file::open_in(directory, name, O_RDONLY);
  os::file copy = make_file_for_copy(copies, name);
  if (!os::give_same_access(original, copy)) return {};
  if (!os::share_blocks(original, copy)) {
    if (how == how_to_copy::share_blocks) return {};
    copy_bytes(original, copy);
  }
  if (name == "super") carry_place(original, copy);
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

}  // namespace

std::optional<os::file> replace_by_copies(const os::file& directory, std::vector<std::string> names,
                                          how_to_copy how,
                                          const std::function<void(const os::file& super)>& lock) {
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name != "super"; });
  const directory_of_copies copies(directory);
  os::file super;
  for (const std::string& name : names) {
    os::file copy = make_copy(directory, copies.opened(), name, how);
    if (!copy) return std::nullopt;
    if (name == "super") super = std::move(copy);
  }
  if (super) lock(super);
  for (const std::string& name : names)
    os::rename_in(directory, std::string(copies_directory) + '/' + name, name);
  directory.sync();
  return super;
}

bool remove_abandoned_copies(const os::file& directory) {
  if (!os::exists_in(directory, copies_directory)) return false;
  os::remove_tree_in(directory, copies_directory);
  return true;
}

}  // namespace perdure::store
