// Describes a store to its program.
#include "store/commit/store_parts.hpp"

#include <sys/stat.h>

#include <string>

#include "os/directory_names.hpp"
#include "store/file/capacity.hpp"

namespace perdure::store {

store_info describe(const os::file& directory, const layout::super_slot& super, const std::string& abi) {
  store_info info;
  info.uuid = to_text(super.uuid);
  info.format_version = super.format;
  info.compat_features = super.compat;
  info.read_only_compat_features = super.read_only_compat;
  info.incompat_features = super.incompat;
  info.epoch = super.epoch;
  info.applied_epoch = super.applied_epoch;
  info.open_dirty = (super.flags & layout::flag_open_dirty) != 0;
  info.capacity = limit_in(super);
  info.address_space = super.capacity;
  info.size = super.segment_bytes;
  info.home_file_size = super.home_file_bytes;
  info.pinned = (super.flags & layout::flag_pinned) != 0;
  info.address = super.address;
  info.abi = abi;
  info.copied_epoch = super.copied_epoch;
  info.copied_ns = super.copied_ns;
  for (const std::string& name : os::names_in(directory.path())) {
    if (name.starts_with("heap.")) ++info.home_files;
    struct stat status;
    if (::lstat((directory.path() / name).c_str(), &status) == 0) {
      info.disk_bytes += static_cast<std::size_t>(status.st_blocks) * 512;
    }
  }
  return info;
}

}  // namespace perdure::store
