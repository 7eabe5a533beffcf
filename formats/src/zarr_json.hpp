// JSON as zarr has it: files of it, and members that must be there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <perdure/array/extents.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

using zarr_json = nlohmann::ordered_json;

/// Returns the content of a file. Numbers that JSON lacks (NaN, Infinity), which zarr's own library writes,
/// are texts that `non_finite` knows. `bad_input`, `not_found`, `io`.
zarr_json read_json_file(const std::filesystem::path& path);
/// Returns the number that the text stands for; nothing if it is a text.
std::optional<double> non_finite(const zarr_json& value);
/// Returns what stands for "NaN", "Infinity" or "-Infinity" in `read_json_file` and `text_of`.
zarr_json non_finite_json(std::string_view word);
/// Returns a document as text, where those numbers are words without quotation marks: on one line, or on many
/// for `indent` blanks.
std::string text_of(const zarr_json& document, int indent = -1);

/// Returns the value whose text `text_of` gives; the text itself if it is no JSON.
zarr_json json_from(const std::string& text);
/// Returns the names of the directories in a directory, sorted; none if it does not exist. `io`,
/// `permission_denied`.
std::vector<std::string> directories_in(const std::filesystem::path& directory);

/// Throws `bad_input`: the metadata lack it, or have something else in its place.
[[noreturn]] void lacks(std::string_view what);
/// Returns a member of an object. `bad_input` if there is none.
const zarr_json& member(const zarr_json& object, const char* key);
std::string text_in(const zarr_json& value, std::string_view what);
extents extents_in(const zarr_json& value, std::string_view what);
/// Returns a list of whole numbers.
zarr_json list_of(const extents& dims);

}  // namespace perdure::formats
