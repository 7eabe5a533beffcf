// Attributes of a whole file, or of a group of its arrays, such as NetCDF's `Conventions`.
//
// They are the attributes of an array without elements, `.attributes` or `GROUP/.attributes`, in a file and
// in a store. Readers of files give one for each group that has attributes; writers put its attributes back.
#pragma once

#include <memory>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// Last part of the name of the array that has the attributes of a file or group.
inline constexpr std::string_view group_attributes_name = ".attributes";

/// Attributes of an array that stand for facts which formats keep apart from attributes:
///
/// - `fill_value_key`: the value of elements that were never written, of the array's type (HDF5, zarr);
/// - `max_dims_key`: the largest extent of each dimension, `uint64`; 2^64 - 1 means unlimited (HDF5, NetCDF);
/// - `enumeration_key`: the names of the values of an array of integers, a list of texts NAME=VALUE (HDF5,
///   NetCDF). Followed by a space and a key: the names of the values of that attribute;
/// - `charset_key`: "utf-8", of an array of texts of fixed length that are not ASCII (HDF5);
/// - `null_key`: null, of an array that has no value (an empty dataspace of HDF5);
/// - `json_key`: the keys of attributes that are the text of JSON, a list of texts (zarr).
///@{
inline constexpr std::string_view fill_value_key = ".fill_value";
inline constexpr std::string_view max_dims_key = ".max_dims";
inline constexpr std::string_view enumeration_key = ".enumeration";
inline constexpr std::string_view charset_key = ".charset";
inline constexpr std::string_view null_key = ".null";
inline constexpr std::string_view json_key = ".json";
///@}

/// Returns the name of the array that has the attributes of a group; of the file for an empty `group`.
std::string name_of_group_attributes(std::string_view group);
/// Returns whether an array is there only for the attributes of a file or group.
bool is_group_attributes(const array_description& what) noexcept;
/// Returns the group that such an array belongs to; empty for the file.
std::string_view group_of_attributes(std::string_view name) noexcept;
/// Returns a source that has the attributes of a group, or of the file for an empty `group`.
std::unique_ptr<array_source> group_attributes(std::string_view group,
                                               std::vector<array_attribute> attributes);

}  // namespace perdure::formats
