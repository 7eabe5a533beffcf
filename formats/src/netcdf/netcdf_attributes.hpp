// Attributes of NetCDF's files, groups and variables.
#pragma once

#include <perdure/formats/array_source.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "netcdf/netcdf_file.hpp"
#include "netcdf/netcdf_types.hpp"
#include "opened_arrays.hpp"

namespace perdure::formats {

/// Key of the value of elements that were never written.
inline constexpr std::string_view netcdf_fill_value_key = "_FillValue";

/// Reads `count` attributes of a variable, or of a group for NC_GLOBAL. What cannot be kept is added to
/// `losses` under `name`.
std::vector<array_attribute> read_attributes(const netcdf_file& file, int group, int variable, int count,
                                             const std::string& name, std::vector<loss>& losses);

/// Writes the attributes of an array, or of a group for NC_GLOBAL. `report` learns of those that NetCDF
/// cannot hold.
void write_attributes(const netcdf_file& file, int group, int variable, const array_description& what,
                      netcdf_type_definitions& types, const loss_sink& report);

/// Returns the elements as NetCDF takes lists, each pointing into `all`.
std::vector<nc_vlen_t> lists_of(variable_elements& all, const data_type& type);
/// Returns lists that NetCDF gave as elements.
variable_elements elements_of(const std::vector<nc_vlen_t>& lists, const data_type& type);

}  // namespace perdure::formats
