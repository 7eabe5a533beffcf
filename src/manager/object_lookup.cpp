// Finds objects, and lists them.
#include <shared_mutex>
#include <string>
#include <utility>

#include "manager/manager_state.hpp"
#include "manager/object_key.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"

namespace perdure::detail {

void manager_core::state::require_type(const void* object, const type_stamp& type, type_match match,
                                       instance_kind kind, std::string_view key) const {
  const object_record& record = directory->record_of(object);
  const type_record& recorded = directory->type_of(record);
  if (recorded.hash != type.hash || type_table::layout(recorded) != type.layout)
    type_table::require_same(directory->memory(), recorded, type, match, printable(kind, key));
}

void manager_core::state::require_known(const type_stamp& type) const {
  if (!known_layouts_only || type.layout_known) return;
  throw error(errc::unsupported,
              path + ": the layout of " + short_type_name(demangle(type.name)) +
                  " is not known, as it, or something in it, has private members, a base or a union; "
                  "name the members with PERDURE_MEMBERS, or vouch for them with layout_version "
                  "(docs/reference/types.md)");
}

void* manager_core::state::find_as(const object_name& name, const type_stamp& type, type_match match) const {
  const std::string_view key = key_of(name, type);
  void* const object = directory->find(name.kind(), name_directory::key_hash(name.kind(), key), key);
  if (object != nullptr) {
    require_type(object, type, match, name.kind(), key);
  } else if (name.kind() == instance_kind::unique && match == type_match::layout) {
    return find_unique_by_layout(type);
  }
  return object;
}

// A unique object's key is the name of its type, so where that has another name it must be looked for.
void* manager_core::state::find_unique_by_layout(const type_stamp& type) const {
  void* only = nullptr;
  for (const object_info& object : directory->objects(instance_kind::unique)) {
    const type_record& recorded = directory->type_of(directory->record_of(object.value()));
    if (!type_table::is_same(recorded, type, type_match::layout)) continue;
    if (only != nullptr)
      throw error(
          errc::wrong_type,
          path + ": more than one unique instance has the layout of " + short_type_name(demangle(type.name)) +
              ": " +
              short_type_name(demangle(type_table::name(directory->type_of(directory->record_of(only))))) +
              " and " + short_type_name(object.type_name()) +
              "; look for the one that is meant, by its type_name(), in unique_objects()");
    only = object.value();
  }
  return only;
}

void manager_core::state::require_object(const void* object) const {
  if (!directory->contains(object))
    throw error(errc::invalid_argument,
                path + ": the address is not that of an object constructed in this store");
}

void* manager_core::state::find_named(const object_name& name) const {
  if (name.kind() != instance_kind::named)
    throw error(errc::invalid_argument,
                path + ": unique and anonymous objects have no name; use their address");
  return directory->find(name.kind(), name_directory::key_hash(name.kind(), name.name()), name.name());
}

object_record& manager_core::state::record_of(const object_name& name) const {
  void* const object = find_named(name);
  if (object == nullptr)
    throw error(errc::not_found, path + ": there is no object named " + printable(name.kind(), name.name()));
  return directory->record_of(object);
}

object_record& manager_core::state::record_of(const void* object) const {
  require_object(object);
  return directory->record_of(object);
}

std::pair<void*, std::size_t> manager_core::find(const object_name& name, const type_stamp& type,
                                                 type_match match) const {
  if (name.kind() == instance_kind::anonymous)
    throw error(errc::invalid_argument, state_->path + ": anonymous objects have no name to find them by");
  state_->require_known(type);
  const state::view view(*state_);
  void* const object = state_->find_as(name, type, match);
  if (object == nullptr) return {nullptr, 0};
  return {object, state_->directory->record_of(object).length};
}

object_info manager_core::describe(const void* object) const {
  const state::view view(*state_);
  state_->require_object(object);
  return state_->directory->describe(object);
}

std::size_t manager_core::count(instance_kind kind) const noexcept {
  const std::shared_lock held(state_->lock);
  return state_->directory->count(kind);
}

object_range manager_core::objects(instance_kind kind) const {
  const state::view view(*state_);
  return state_->directory->objects(kind);
}

bool manager_core::visit(const object_name& name, object_visitor look) const {
  const state::view view(*state_);
  const void* const object = state_->find_named(name);
  if (object == nullptr) return false;
  look(state_->directory->describe(object));
  return true;
}

void manager_core::visit_all(instance_kind kind, object_visitor look) const {
  const state::view view(*state_);
  for (const object_info& object : state_->directory->objects(kind)) look(object);
}

}  // namespace perdure::detail
