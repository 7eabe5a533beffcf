// Element types as NetCDF has them.
#pragma once

#include <map>
#include <perdure/data_type.hpp>
#include <string>
#include <vector>

#include "netcdf/netcdf_file.hpp"

namespace perdure::formats {

/// An element type of a file.
struct netcdf_element {
  data_type type;
  std::vector<std::string> enumeration = {};  ///< NAME=VALUE of each value of an enumeration
  std::vector<std::string> losses = {};       ///< sentences without a subject on changes
};

/// Translates a type of a file. `unsupported`, with the reason, if elements cannot be of it.
netcdf_element element_from_netcdf(const netcdf_file& file, int group, nc_type type);

/// Returns whether structs come back with their fields where they are: NetCDF aligns fields when it reads
/// them, and leaves no room that alignment does not ask for.
bool keeps_layout(const data_type& type);

/// Types of a file that is written: those of its own are defined once, in the root group.
class netcdf_type_definitions {
 public:
  explicit netcdf_type_definitions(const netcdf_file& file) : file_(file) {}

  /// Returns the type for elements. Names of values that are no enumeration are ignored. `unsupported` for
  /// elements that NetCDF does not have.
  nc_type type_for(const data_type& type, const std::vector<std::string>& enumeration = {});

 private:
  nc_type define(const data_type& type);
  nc_type define_structure(const data_type& type);
  nc_type define_complex(const data_type& type);
  nc_type define_enumeration(const data_type& integer, const std::vector<std::string>& named_values);
  std::string new_name(const std::string& wanted);

  const netcdf_file& file_;
  std::map<std::string, nc_type> known_;
  std::map<std::string, unsigned> names_;
};

}  // namespace perdure::formats
