// Blobs: arrays of std::byte in the directory of objects.
#include "perdure/c/blob.h"

#include <cstddef>
#include <span>
#include <string>

#include "c/handles.hpp"
#include "perdure/data_object.hpp"
#include "perdure/type_stamp.hpp"

using namespace perdure::c;

namespace {

using perdure::detail::if_exists;
using perdure::detail::manager_core;

[[noreturn]] void refuse_missing(const char* name) {
  throw perdure::error(perdure::errc::not_found, "there is no object named \"" + std::string(name) + '"');
}

}  // namespace

perdure_status perdure_blob_create(perdure_store* store, const char* name, size_t size, size_t alignment,
                                   void** data) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    result = perdure::detail::construct_blob(core_of(store), required_text(name, "name"), size, alignment,
                                             if_exists::fail)
                 .data();
  });
}

perdure_status perdure_blob_find(const perdure_store* store, const char* name, void** data, size_t* size) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    if (size != nullptr) *size = 0;
    const std::span<std::byte> found =
        perdure::detail::find_blob(core_of(store), required_text(name, "name"));
    if (found.data() == nullptr) refuse_missing(name);
    result = found.data();
    if (size != nullptr) *size = found.size();
  });
}

perdure_status perdure_blob_find_or_create(perdure_store* store, const char* name, size_t size,
                                           size_t alignment, void** data, int* created) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    bool is_new = false;
    if (created != nullptr) *created = 0;
    result = perdure::detail::construct_blob(core_of(store), required_text(name, "name"), size, alignment,
                                             if_exists::use, &is_new)
                 .data();
    if (created != nullptr) *created = is_new ? 1 : 0;
  });
}

perdure_status perdure_blob_destroy(perdure_store* store, const char* name) {
  return guarded([&] {
    if (!perdure::detail::destroy_blob(core_of(store), required_text(name, "name"))) refuse_missing(name);
  });
}

perdure_status perdure_blob_destroy_at(perdure_store* store, void* data) {
  return guarded([&] {
    manager_core& core = core_of(store);
    required(static_cast<std::byte*>(data), "data");
    core.release(core.withdraw(static_cast<const void*>(data), perdure::type_stamp_of<std::byte>()).first);
  });
}
