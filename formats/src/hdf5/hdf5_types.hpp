// Element types as HDF5 has them.
#pragma once

#include <perdure/data_type.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_handle.hpp"

namespace perdure::formats {

/// An element type of a file.
struct hdf5_element {
  data_type type;  ///< type here, with fixed dimensions: the last one of a text is its length
  std::vector<std::string> enumeration = {};  ///< NAME=VALUE of each value of an enumeration
  bool is_utf8 = false;                       ///< whether texts of fixed length are UTF-8
  std::vector<std::string> losses = {};       ///< sentences without a subject on changes
};

/// Translates a type of a file. `unsupported`, with the reason, if elements cannot be of it.
hdf5_element element_from_hdf5(hid_t type);

/// Returns the type that elements have in this machine's memory. `file_type` is the type that they have in
/// the file they are read from: its character sets, tags and names of fields are taken over, as HDF5 does not
/// convert them. Without it texts are UTF-8.
hdf5_handle hdf5_memory_type(const data_type& type, hid_t file_type = H5I_INVALID_HID);
/// Returns the type of elements that are written.
hdf5_handle hdf5_file_type(const hdf5_element& element);

}  // namespace perdure::formats
