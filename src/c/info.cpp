// The C API's view of a store's own records.
#include "perdure/c/info.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/store_maintenance.hpp"

using namespace perdure::c;

namespace {

template <std::size_t Room>
void copy_text(char (&to)[Room], const std::string& from) {
  std::memcpy(to, from.data(), std::min(from.size(), Room - 1));
}

void fill_info(perdure_store_info* info, const perdure::store_info& known) {
  perdure_store_info value{};
  copy_text(value.uuid, known.uuid);
  copy_text(value.abi, known.abi);
  value.compat_features = known.compat_features;
  value.read_only_compat_features = known.read_only_compat_features;
  value.incompat_features = known.incompat_features;
  value.epoch = known.epoch;
  value.applied_epoch = known.applied_epoch;
  value.capacity = known.capacity;
  value.size = known.size;
  value.home_file_size = known.home_file_size;
  value.home_files = known.home_files;
  value.disk_bytes = known.disk_bytes;
  value.address = known.address;
  value.copied_epoch = known.copied_epoch;
  value.copied_ns = known.copied_ns;
  value.format_version = known.format_version;
  value.pinned = known.pinned ? 1 : 0;
  value.open_dirty = known.open_dirty ? 1 : 0;
  fill(info, value, "info");
}

}  // namespace

perdure_status perdure_store_info_get(const perdure_store* store, perdure_store_info* info) {
  return guarded([&] { fill_info(info, core_of(store).store().info()); });
}

perdure_status perdure_store_inspect(const char* path, perdure_store_info* info) {
  return guarded([&] { fill_info(info, perdure::store_maintenance::inspect(required_text(path, "path"))); });
}
