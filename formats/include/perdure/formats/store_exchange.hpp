// Arrays between stores and files.
//
//     perdure::array_store run(perdure::open_or_create, "run.store");
//     perdure::formats::import_arrays(run, "", perdure::formats::array_file("results.h5"));
//     run.checkpoint();
//     perdure::formats::export_arrays(run, "run", "run.zarr", {.compressed = true});
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/array/array_info.hpp>
#include <perdure/array_store.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/array_selection.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// Options of `import_arrays`.
struct import_options {
  /// How the arrays are stored. Names of dimensions are the file's, if it has any.
  array_options store = {};
  /// Whether an array in the store is replaced whatever its type is, with its attributes. Not set: only one
  /// of the same type is replaced, and keeps attributes that the file does not have.
  bool replaces_any = false;
  /// Called before each piece is read, about 8 MiB; what it throws ends the import. May be empty.
  std::function<void()> before_piece = {};
  /// Called after each piece is read; not after one that cannot be read. May be empty.
  std::function<void()> after_piece = {};
};

/// Stores an array under an id, with its attributes. `wrong_type` if the store has an array of that id and
/// another type and `replaces_any` is not set; and the errors of `array_source::read` and
/// `array_store::store`. An array that was replaced is durable with the next checkpoint, and until then a
/// program that closes the store without one (`array_store::discard`) keeps the old one.
void import_array(array_store& to, std::string_view id, array_source& from,
                  const import_options& options = {});
/// Stores all arrays of a file: the only one as `id`, several as `id`/NAME. For an empty `id` an array is
/// called as in the file, and one without a name after the file: `t` for `t.npy`. Attributes of the file and
/// of its groups become attributes of `id`/.attributes and `id`/GROUP/.attributes, which have no elements
/// (group_attributes.hpp). Returns the ids. `not_found` for a file without arrays, `unsupported` if none of
/// its arrays can be read; and the errors of `import_array`, which leave the arrays before it imported.
std::vector<std::string> import_arrays(array_store& to, std::string_view id, const array_file& from,
                                       const import_options& options = {});

/// Returns a stored array, or a part of it, as a source called `name`. The store must stay open while it is
/// used. `not_found`; the errors of `array_selection::of`.
std::unique_ptr<array_source> source_of(const array_store& from, std::string_view id,
                                        const array_selection& part = {}, std::string name = {});
/// Returns the sources of an array, or of all arrays of a group (all of the store for an empty id), with the
/// names that they have in a file of the group: an id behind `id`/. Attributes of `id`/.attributes are those
/// of the file. `not_found` if there is none.
array_sources sources_of(const array_store& from, std::string_view id);
/// Writes an array, or all arrays of a group, to a file. Errors as `sources_of` and `write_arrays`.
void export_arrays(const array_store& from, std::string_view id, const std::filesystem::path& path,
                   const writing_options& options = {});

}  // namespace perdure::formats
