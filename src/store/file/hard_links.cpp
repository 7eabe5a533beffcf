// Gives files with several names a file of their own.
#include "store/file/hard_links.hpp"

#include <perdure/error.hpp>
#include <string>
#include <vector>

#include "os/directory_names.hpp"
#include "os/file_identity.hpp"
#include "store/file/replaced_files.hpp"
#include "store/file/store_directory.hpp"

namespace perdure::store {

void leave_hard_links(const os::file& directory, store_lock& lock) {
  std::vector<std::string> linked;
  for (const std::string& name : os::names_in(directory.path())) {
    if ((name == "super" || name == "LOCK" || is_store_file(name)) && os::names_of(directory, name) > 1)
      linked.push_back(name);
  }
  if (linked.empty()) return;
  std::optional<os::file> super = replace_by_copies(directory, linked, how_to_copy::any,
                                                    [&lock](const os::file& made) { lock.lock_alone(made); });
  if (!super) {
    throw error(errc::permission_denied,
                directory.path().string() +
                    " has files with other names (hard links, as of `cp -al`), and this "
                    "process may not give copies of them the same owner: have the "
                    "owner open the store, or remove the other names");
  }
  if (*super) lock.hold_super(std::move(*super));
  lock.follow_lock_file(directory);
}

}  // namespace perdure::store
