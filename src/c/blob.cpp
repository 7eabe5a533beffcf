// Blobs: arrays of std::byte in the directory of objects.
#include "perdure/c/blob.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "c/alignment.hpp"
#include "c/handles.hpp"
#include "perdure/type_stamp.hpp"

using namespace perdure::c;

namespace {

using perdure::detail::if_exists;
using perdure::detail::manager_core;
using perdure::detail::object_construction;

const perdure::type_stamp& blob_type() {
  return perdure::type_stamp_of<std::byte>();
}

}  // namespace

perdure_status perdure_blob_create(perdure_store* store, const char* name, size_t size, size_t alignment,
                                   void** data) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    manager_core& core = core_of(store);
    if (alignment != 0) require_alignment(alignment);
    object_construction blob(core, required_text(name, "name"), blob_type(), size, if_exists::fail,
                             alignment);
    std::memset(blob.object(), 0, size);
    blob.publish();
    result = blob.object();
  });
}

perdure_status perdure_blob_find(const perdure_store* store, const char* name, void** data, size_t* size) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    if (size != nullptr) *size = 0;
    const manager_core& core = core_of(store);
    const auto [found, length] = core.find(required_text(name, "name"), blob_type());
    if (found == nullptr)
      throw perdure::error(perdure::errc::not_found, "there is no object named \"" + std::string(name) + '"');
    result = found;
    if (size != nullptr) *size = length;
  });
}

perdure_status perdure_blob_find_or_create(perdure_store* store, const char* name, size_t size,
                                           size_t alignment, void** data, int* created) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    if (created != nullptr) *created = 0;
    manager_core& core = core_of(store);
    if (alignment != 0) require_alignment(alignment);
    object_construction blob(core, required_text(name, "name"), blob_type(), size, if_exists::use, alignment);
    if (blob.exists()) {
      const std::uint64_t length = core.find(perdure::object_name(name), blob_type()).second;
      const auto address = reinterpret_cast<std::uintptr_t>(blob.object());
      if (length < size || (alignment != 0 && address % alignment != 0))
        throw perdure::error(perdure::errc::wrong_type,
                             "the blob \"" + std::string(name) + "\" has " + std::to_string(length) +
                                 " bytes at a multiple of " + std::to_string(address & (~address + 1)) +
                                 "; asked for were " + std::to_string(size) + " at a multiple of " +
                                 std::to_string(alignment == 0 ? 1 : alignment));
    } else {
      std::memset(blob.object(), 0, size);
      blob.publish();
      if (created != nullptr) *created = 1;
    }
    result = blob.object();
  });
}

perdure_status perdure_blob_destroy(perdure_store* store, const char* name) {
  return guarded([&] {
    manager_core& core = core_of(store);
    void* const blob = core.withdraw(perdure::object_name(required_text(name, "name")), blob_type()).first;
    if (blob == nullptr)
      throw perdure::error(perdure::errc::not_found, "there is no object named \"" + std::string(name) + '"');
    core.release(blob);
  });
}

perdure_status perdure_blob_destroy_at(perdure_store* store, void* data) {
  return guarded([&] {
    manager_core& core = core_of(store);
    required(static_cast<std::byte*>(data), "data");
    core.release(core.withdraw(static_cast<const void*>(data), blob_type()).first);
  });
}
