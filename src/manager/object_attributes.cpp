// The attributes of objects, and those of the store itself.
#include <optional>
#include <string>
#include <vector>

#include "manager/attribute_list.hpp"
#include "manager/manager_state.hpp"
#include "perdure/detail/manager_core.hpp"

namespace perdure::detail {

void manager_core::set_attribute(const object_name& name, std::string_view key, std::string_view value) {
  const state::change change(*state_);
  detail::set_attribute(state_->directory->memory(), state_->record_of(name).attributes, key, value);
}

std::optional<std::string> manager_core::attribute_of(const object_name& name, std::string_view key) const {
  const state::view view(*state_);
  return find_attribute(state_->directory->memory(), state_->record_of(name).attributes, key);
}

std::vector<attribute> manager_core::attributes_of(const object_name& name) const {
  const state::view view(*state_);
  return list_attributes(state_->directory->memory(), state_->record_of(name).attributes);
}

bool manager_core::remove_attribute(const object_name& name, std::string_view key) {
  const state::change change(*state_);
  return detail::remove_attribute(state_->directory->memory(), state_->record_of(name).attributes, key);
}

void manager_core::set_attribute(const void* object, std::string_view key, std::string_view value) {
  const state::change change(*state_);
  detail::set_attribute(state_->directory->memory(), state_->record_of(object).attributes, key, value);
}

std::optional<std::string> manager_core::attribute_of(const void* object, std::string_view key) const {
  const state::view view(*state_);
  return find_attribute(state_->directory->memory(), state_->record_of(object).attributes, key);
}

std::vector<attribute> manager_core::attributes_of(const void* object) const {
  const state::view view(*state_);
  return list_attributes(state_->directory->memory(), state_->record_of(object).attributes);
}

bool manager_core::remove_attribute(const void* object, std::string_view key) {
  const state::change change(*state_);
  return detail::remove_attribute(state_->directory->memory(), state_->record_of(object).attributes, key);
}

void manager_core::set_store_attribute(std::string_view key, std::string_view value) {
  const state::change change(*state_);
  detail::set_attribute(state_->directory->memory(), state_->directory->store_attributes_link(), key, value);
}

std::optional<std::string> manager_core::store_attribute(std::string_view key) const {
  const state::view view(*state_);
  return find_attribute(state_->directory->memory(), state_->directory->store_attributes(), key);
}

std::vector<attribute> manager_core::store_attributes() const {
  const state::view view(*state_);
  return list_attributes(state_->directory->memory(), state_->directory->store_attributes());
}

bool manager_core::remove_store_attribute(std::string_view key) {
  const state::change change(*state_);
  return detail::remove_attribute(state_->directory->memory(), state_->directory->store_attributes_link(),
                                  key);
}

}  // namespace perdure::detail
