// The name of an array on a command line: STORE:ID, and parts of it, STORE:ID[0:10,:,3].
#pragma once

#include <filesystem>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/formats/array_selection.hpp>
#include <string>

namespace perdure::cli {

/// Where an array is, or a group of them: `id` is empty for all of a store.
struct array_place {
  std::filesystem::path store;
  std::string id;
};

/// STORE or STORE:ID. A store whose path has colons is found before one whose name ends at an earlier colon.
array_place parse_array_place(const std::string& text);
/// The same of an array; a `usage_error` where there is no ":ID".
array_place parse_array_place_with_id(const std::string& text);

/// Splits "ID[0:10,:,3]" into the id and the part. An id of the store may have brackets of its own.
/// `usage_error`.
formats::array_selection take_part(std::string& id, const untyped_arrays& arrays);

}  // namespace perdure::cli
