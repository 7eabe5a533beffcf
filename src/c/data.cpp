// Named arrays of plain data.
#include "perdure/c/data.h"

#include <cstddef>
#include <string>

#include "c/handles.hpp"
#include "perdure/data_object.hpp"

using namespace perdure::c;

namespace {

using perdure::data_object;
using perdure::data_type;
using perdure::detail::if_exists;

}  // namespace

perdure_status perdure_data_create(perdure_store* store, const char* name, const char* type, uint64_t length,
                                   size_t alignment, void** data) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    result = perdure::detail::construct_data(core_of(store), required_text(name, "name"),
                                             data_type::parse(required_text(type, "type")), length, alignment,
                                             if_exists::fail)
                 .data;
  });
}

perdure_status perdure_data_find(const perdure_store* store, const char* name, const char* type, void** data,
                                 uint64_t* length) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    if (length != nullptr) *length = 0;
    const data_object found = perdure::detail::find_data(core_of(store), required_text(name, "name"));
    if (!found) refuse_missing_object(name);
    const data_type wanted = data_type::parse(required_text(type, "type"));
    if (!(found.type == wanted))
      throw perdure::error(perdure::errc::wrong_type, "the object \"" + std::string(name) + "\" is of type " +
                                                          found.type.text() + ", not " + wanted.text());
    result = found.data;
    if (length != nullptr) *length = found.length;
  });
}

perdure_status perdure_data_find_or_create(perdure_store* store, const char* name, const char* type,
                                           uint64_t length, size_t alignment, void** data, int* created) {
  return guarded([&] {
    void*& result = required_result(data, "data");
    bool is_new = false;
    if (created != nullptr) *created = 0;
    result = perdure::detail::construct_data(core_of(store), required_text(name, "name"),
                                             data_type::parse(required_text(type, "type")), length, alignment,
                                             if_exists::use, &is_new)
                 .data;
    if (created != nullptr) *created = is_new ? 1 : 0;
  });
}

perdure_status perdure_data_destroy(perdure_store* store, const char* name) {
  return guarded([&] {
    if (!perdure::detail::destroy_data(core_of(store), required_text(name, "name")))
      refuse_missing_object(name);
  });
}

perdure_status perdure_data_destroy_at(perdure_store* store, void* data) {
  return guarded([&] {
    perdure::detail::manager_core& core = core_of(store);
    perdure::detail::destroy_data_at(core, &required(static_cast<std::byte*>(data), "data"));
  });
}
