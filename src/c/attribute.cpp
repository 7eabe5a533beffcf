// Attributes of named objects.
#include "perdure/c/attribute.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "c/handles.hpp"

using namespace perdure::c;

namespace {

[[noreturn]] void report_missing(const char* name, const char* key) {
  throw perdure::error(perdure::errc::not_found, "the object \"" + std::string(name) +
                                                     "\" has no attribute \"" + std::string(key) + '"');
}

}  // namespace

perdure_status perdure_attribute_set(perdure_store* store, const char* name, const char* key,
                                     const void* value, size_t value_size) {
  return guarded([&] {
    auto& core = core_of(store);
    if (value_size != 0) required(static_cast<const char*>(value), "value");
    core.set_attribute(
        perdure::object_name(required_text(name, "name")), required_text(key, "key"),
        value_size == 0 ? std::string_view{} : std::string_view(static_cast<const char*>(value), value_size));
  });
}

perdure_status perdure_attribute_get(const perdure_store* store, const char* name, const char* key,
                                     void* buffer, size_t capacity, size_t* value_size) {
  return guarded([&] {
    if (value_size != nullptr) *value_size = 0;
    const auto& core = core_of(store);
    if (capacity != 0) required(static_cast<char*>(buffer), "buffer");
    const auto value =
        core.attribute_of(perdure::object_name(required_text(name, "name")), required_text(key, "key"));
    if (!value) report_missing(name, key);
    if (value_size != nullptr) *value_size = value->size();
    if (capacity == 0) return;
    if (value->size() > capacity)
      refuse("the value of \"" + std::string(key) + "\" has " + std::to_string(value->size()) +
             " bytes, the buffer " + std::to_string(capacity));
    std::memcpy(buffer, value->data(), value->size());
  });
}

perdure_status perdure_attribute_remove(perdure_store* store, const char* name, const char* key) {
  return guarded([&] {
    auto& core = core_of(store);
    if (!core.remove_attribute(perdure::object_name(required_text(name, "name")), required_text(key, "key")))
      report_missing(name, key);
  });
}

perdure_status perdure_attribute_list_create(const perdure_store* store, const char* name,
                                             perdure_attribute_list** list) {
  return guarded([&] {
    perdure_attribute_list*& result = required_result(list, "list");
    const auto& core = core_of(store);
    auto made = std::make_unique<perdure_attribute_list>();
    made->strings = core.attributes_of(perdure::object_name(required_text(name, "name")));
    for (const perdure::attribute& a : made->strings)
      made->items.push_back({a.key.c_str(), a.key.size(), a.value.data(), a.value.size()});
    result = new_handle(std::move(made));
  });
}

perdure_status perdure_attribute_list_size(const perdure_attribute_list* list, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(list).items.size(); });
}

perdure_status perdure_attribute_list_at(const perdure_attribute_list* list, size_t index,
                                         const perdure_attribute** attribute) {
  return guarded([&] {
    const perdure_attribute*& result = required_result(attribute, "attribute");
    result = &item_of(list, index);
  });
}

perdure_status perdure_attribute_list_free(perdure_attribute_list* list) {
  return free_handle(list);
}
