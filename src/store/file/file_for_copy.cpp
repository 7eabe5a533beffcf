#include "store/file/file_for_copy.hpp"

#include <fcntl.h>

#include "os/file_clone.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

os::file make_file_for_copy(const os::file& directory, const std::string& name) {
  os::file made = os::file::open_in(directory, name, O_RDWR | O_CREAT | O_EXCL);
  // As the journals of every store are. btrfs shares blocks between files only if both have the attribute, or
  // neither.
  if (name.starts_with("jrnl.")) os::overwrite_in_place(made);
  // Without it XFS copies 128 KiB for the first write to each shared block.
  os::limit_copy_on_write(made, layout::block);
  return made;
}

}  // namespace perdure::store
