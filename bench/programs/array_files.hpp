// Files of several three-dimensional arrays of doubles, each written and read in parts: Perdure's and its
// peers'.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "array_box.hpp"

namespace perdure::bench {

/// Open, to be written or read. Any thread may call `write` and `read`, unless `is_for_one_thread`.
class array_file {
 public:
  array_file() = default;
  array_file(const array_file&) = delete;
  array_file& operator=(const array_file&) = delete;
  virtual ~array_file() = default;

  virtual void write(std::size_t array, const box& part, const double* from) = 0;
  virtual void read(std::size_t array, const box& part, double* to) = 0;
  /// Returns when what was written is on the device.
  virtual void close() = 0;
};

struct array_file_kind {
  std::string name;
  bool is_for_one_thread = false;
  std::unique_ptr<array_file> (*create)(const std::filesystem::path& path, std::size_t arrays,
                                        const box_extent& dims);
  std::unique_ptr<array_file> (*open)(const std::filesystem::path& path, std::size_t arrays,
                                      const box_extent& dims);
};

/// Those that this build has.
const std::vector<array_file_kind>& array_file_kinds();

std::vector<array_file_kind> own_array_file_kinds();
std::vector<array_file_kind> plain_array_file_kinds();
std::vector<array_file_kind> hdf5_array_file_kinds();
std::vector<array_file_kind> netcdf_array_file_kinds();

/// Many small arrays: stored one by one, made durable, and loaded by another opening.
struct small_array_seconds {
  double store = 0;  ///< with opening, and until they are durable
  double open = 0;   ///< of what is loaded
  double load = 0;
};
small_array_seconds small_arrays_in_store(const std::filesystem::path& path, std::size_t arrays);
/// Of HDF5; nothing where there is none.
small_array_seconds small_arrays_in_hdf5(const std::filesystem::path& path, std::size_t arrays);

}  // namespace perdure::bench
