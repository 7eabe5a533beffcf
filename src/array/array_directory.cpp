// Finds arrays by their ids.
#include "array/array_directory.hpp"

#include <functional>
#include <perdure/error.hpp>
#include <string>
#include <utility>

#include "array/array_shape.hpp"

namespace perdure::detail {

array_directory::array_directory(manager_core& store, array_catalogue* catalogue)
    : store_(store), catalogue_(catalogue) {
  if (catalogue_ != nullptr && catalogue_->version != 1)
    throw error(errc::too_new, store.store().path().string() + ": its arrays are of a later version (" +
                                   std::to_string(catalogue_->version) + "): open it with a later library");
}

void array_directory::require_open() const {
  if (is_closed_) throw error(errc::invalid_argument, "the store of these arrays has been closed");
}

void array_directory::require_writable() const {
  require_open();
  store_.require_writable();
  if (catalogue_ == nullptr)
    throw error(errc::read_only,
                store_.store().path().string() + " has no arrays, and is open for reading only");
}

std::shared_mutex& array_directory::writing_of(std::string_view id) noexcept {
  return writing_[std::hash<std::string_view>()(id) % writing_.size()];
}

const stored_array* array_directory::look_up(std::string_view id) const {
  if (catalogue_ == nullptr) return nullptr;
  const auto found = catalogue_->arrays.find(id);
  return found == catalogue_->arrays.end() ? nullptr : &found->second;
}

stored_array* array_directory::look_up(std::string_view id) {
  return const_cast<stored_array*>(std::as_const(*this).look_up(id));
}

const stored_array& array_directory::require(std::string_view id) const {
  const stored_array* const found = look_up(id);
  if (found == nullptr)
    throw error(errc::not_found,
                store_.store().path().string() + " has no array named \"" + std::string(id) + '"');
  return *found;
}

stored_array& array_directory::require(std::string_view id) {
  return const_cast<stored_array&>(std::as_const(*this).require(id));
}

void array_directory::require_may_replace(std::string_view id, const data_type& type,
                                          const array_options& options) const {
  const stored_array* const before = look_up(id);
  if (before == nullptr) return;
  const array_shape of = shape_of(id, *before);
  if (!options.replaces_any) require_type(id, of.type, type);
}

}  // namespace perdure::detail
