// Arrays of a store as the program's commands see them.
#pragma once

#include <filesystem>
#include <perdure/array_store.hpp>
#include <string>
#include <vector>

#include "array_place.hpp"
#include "command.hpp"

namespace perdure::cli {

/// A store, or a set of stores, that is opened to look at its arrays, as of its last checkpoint; a writer may
/// have it open.
class arrays_to_read {
 public:
  explicit arrays_to_read(const std::filesystem::path& path);

  const array_store& arrays() const noexcept { return arrays_; }
  untyped_arrays& core() const noexcept { return *arrays_.untyped(); }
  /// One that is there, or all that are in a group of that name. `not_found`.
  std::vector<std::string> named(const std::string& id) const;

 private:
  array_store arrays_;
};

/// The elements' type as NumPy says it, where it has one: "float64". "string" for texts.
std::string dtype_of(const data_type& type);
json shape_of_dims(const extents& dims);
/// Returns the facts of an array that `ls` and `stat` print.
json facts_of(const array_info& info);
/// An attribute's value as JSON.
json value_of(const attribute_value& value);

}  // namespace perdure::cli
