// Gives files with several names a file of their own.
#include "store/file/hard_links.hpp"

#include <fcntl.h>

#include <string>
#include <vector>

#include "os/file_clone.hpp"
#include "os/file_extents.hpp"
#include "os/file_identity.hpp"
#include "store/file/layout.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

namespace {

void replace(const os::file& directory, const std::string& name) {
  const std::string fresh = name + std::string(replacement_suffix);
  const os::file linked = os::file::open_in(directory, name, O_RDONLY);
  const os::file own = os::file::open_in(directory, fresh, O_RDWR | O_CREAT | O_EXCL);
  if (name.starts_with("jrnl.")) os::overwrite_in_place(own);
  os::limit_copy_on_write(own, layout::block);
  if (!os::share_blocks(linked, own)) {
    own.resize(linked.size());
    for (const os::file_part& data : os::data_within(linked.descriptor(), 0, linked.size()))
      os::copy_range(linked, own, data.begin, data.end - data.begin);
  }
  own.sync();
  os::rename_in(directory, fresh, name);
}

}  // namespace

void leave_hard_links(const os::file& directory, store_lock& lock) {
  std::vector<std::string> linked;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename().string();
    const bool is_locked = name == "super" || name == "LOCK";
    if (!is_locked && !is_store_file(name)) continue;
    if (name.ends_with(replacement_suffix)) {
      os::remove_in(directory, name);
    } else if (os::names_of(directory, name) > 1) {
      linked.push_back(name);
    }
  }
  // One after the other, so that one of the two files with locks is locked at any time.
  for (const std::string& name : linked) {
    replace(directory, name);
    if (name == "super" || name == "LOCK") lock.lock_again(directory, name);
  }
  if (!linked.empty()) directory.sync();
}

}  // namespace perdure::store
