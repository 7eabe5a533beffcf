// Attributes of HDF5's files, groups and datasets.
#pragma once

#include <filesystem>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_handle.hpp"
#include "opened_arrays.hpp"

namespace perdure::formats {

/// Attributes of an object, and names of dimensions that stand in some of them.
struct hdf5_attributes {
  std::vector<array_attribute> kept = {};
  std::vector<std::string> dimensions = {};  ///< one for each dimension, or none
  std::vector<std::string> losses = {};      ///< sentences without a subject
};

/// Reads all attributes of a dataset of `rank` dimensions, or of a group.
hdf5_attributes read_attributes(const hdf5_file& file, hid_t object, std::size_t rank);

/// Writes attributes to a dataset or group. `name` is that of the array; `rank` the number of its dimensions
/// in the file. `report` learns of those that HDF5 cannot hold.
void write_attributes(const std::filesystem::path& path, hid_t object, const array_description& what,
                      const loss_sink& report);
/// Writes the names of dimensions.
void write_labels(const std::filesystem::path& path, hid_t object, std::vector<std::string> names);

/// Throws `io` with what HDF5 says if `is_done` is false.
void require_written(const std::filesystem::path& path, bool is_done, const std::string& what);

}  // namespace perdure::formats
