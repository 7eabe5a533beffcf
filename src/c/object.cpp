// Lists of objects.
#include "perdure/c/object.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "c/handles.hpp"

using namespace perdure::c;

namespace {

static_assert(static_cast<int>(perdure::instance_kind::named) == PERDURE_OBJECT_NAMED);
static_assert(static_cast<int>(perdure::instance_kind::unique) == PERDURE_OBJECT_UNIQUE);
static_assert(static_cast<int>(perdure::instance_kind::anonymous) == PERDURE_OBJECT_ANONYMOUS);

void add(perdure_object_list& list, const perdure::object_info& object) {
  const std::optional<perdure::data_type> data = object.data_type();
  list.strings.push_back(
      {std::string(object.name()), object.type_name(), data ? data->text() : std::string()});
  perdure_object_info info{};
  info.length = object.length();
  info.element_size = object.element_size();
  info.alignment = object.alignment();
  info.offset = object.offset();
  info.data = object.value();
  info.kind = static_cast<std::int32_t>(object.kind());
  list.items.push_back(info);
}

perdure_object_list* complete(std::unique_ptr<perdure_object_list> list) {
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const perdure_object_list::texts& texts = list->strings[i];
    perdure_object_info& info = list->items[i];
    info.name = texts.name.c_str();
    info.name_length = texts.name.size();
    info.type_name = texts.type_name.c_str();
    info.data_type = texts.data_type.c_str();
  }
  return new_handle(std::move(list));
}

}  // namespace

perdure_status perdure_object_list_create(const perdure_store* store, perdure_object_list** list) {
  return guarded([&] {
    perdure_object_list*& result = required_result(list, "list");
    const auto& core = core_of(store);
    auto made = std::make_unique<perdure_object_list>();
    for (const auto kind :
         {perdure::instance_kind::named, perdure::instance_kind::unique, perdure::instance_kind::anonymous})
      core.visit_all(kind, [&](const perdure::object_info& object) { add(*made, object); });
    result = complete(std::move(made));
  });
}

perdure_status perdure_object_find(const perdure_store* store, const char* name, perdure_object_list** list) {
  return guarded([&] {
    perdure_object_list*& result = required_result(list, "list");
    const auto& core = core_of(store);
    auto made = std::make_unique<perdure_object_list>();
    if (!core.visit(required_text(name, "name"),
                    [&](const perdure::object_info& object) { add(*made, object); }))
      refuse_missing_object(name);
    result = complete(std::move(made));
  });
}

perdure_status perdure_object_list_size(const perdure_object_list* list, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(list).items.size(); });
}

perdure_status perdure_object_list_at(const perdure_object_list* list, size_t index,
                                      const perdure_object_info** object) {
  return guarded([&] {
    const perdure_object_info*& result = required_result(object, "object");
    result = &item_of(list, index);
  });
}

perdure_status perdure_object_list_free(perdure_object_list* list) {
  return free_handle(list);
}

perdure_status perdure_object_count(const perdure_store* store, int kind, size_t* count) {
  return guarded([&] {
    required(count, "count") = 0;
    const auto& core = core_of(store);
    if (kind < PERDURE_OBJECT_NAMED || kind > PERDURE_OBJECT_ANONYMOUS)
      refuse("there is no kind " + std::to_string(kind) + " of objects");
    *count = core.count(static_cast<perdure::instance_kind>(kind));
  });
}
