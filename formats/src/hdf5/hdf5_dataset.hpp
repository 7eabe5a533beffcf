// Datasets of HDF5 as sources of arrays.
#pragma once

#include <memory>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_handle.hpp"

namespace perdure::formats {

/// Opens a dataset, whose `name` is its path without the first "/". `unsupported`, with the reason, if its
/// elements cannot be read here. Adds to `losses` what of its attributes and of its type is lost.
std::unique_ptr<array_source> open_dataset(std::shared_ptr<const hdf5_file> file, hdf5_handle dataset,
                                           const std::string& name, std::vector<loss>& losses);

}  // namespace perdure::formats
