// Filters that a dataset needs and HDF5 may not have.
#pragma once

#include <optional>
#include <string>

#include "hdf5/hdf5_handle.hpp"

namespace perdure::formats {

/// Returns the number and name of a filter that a dataset of these properties needs and that HDF5 does not
/// have here.
std::optional<std::string> missing_filter(hid_t properties);

}  // namespace perdure::formats
