// Three-dimensional datasets of doubles in a file of HDF5's, by either of its libraries.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "programs/array_box.hpp"

namespace perdure::bench {

template <class Status>
Status required(Status status) {
  if (status < 0) throw std::runtime_error("HDF5 failed");
  return status;
}

/// Open while it lives, or until `close`; and so is the file, which it takes over. What is written and read
/// goes by the properties `transfer`, which stay the caller's.
class hdf5_datasets {
 public:
  /// Makes so many in a new file, with these properties, or opens them.
  hdf5_datasets(hid_t file, std::size_t count, const box_extent& dims, bool is_new, hid_t creation,
                hid_t transfer)
      : file_(file), transfer_(transfer) {
    const hsize_t extent[] = {dims[0], dims[1], dims[2]};
    const hid_t space = required(H5Screate_simple(3, extent, nullptr));
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "field" + std::to_string(i);
      all_.push_back(required(is_new ? H5Dcreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                                  creation, H5P_DEFAULT)
                                     : H5Dopen2(file_, name.c_str(), H5P_DEFAULT)));
    }
    H5Sclose(space);
  }
  hdf5_datasets(const hdf5_datasets&) = delete;
  hdf5_datasets& operator=(const hdf5_datasets&) = delete;
  ~hdf5_datasets() { close(); }

  void write(std::size_t which, const box& part, const double* from) {
    with_spaces(which, part, [&](hid_t memory, hid_t file) {
      required(H5Dwrite(all_[which], H5T_NATIVE_DOUBLE, memory, file, transfer_, from));
    });
  }
  void read(std::size_t which, const box& part, double* to) {
    with_spaces(which, part, [&](hid_t memory, hid_t file) {
      required(H5Dread(all_[which], H5T_NATIVE_DOUBLE, memory, file, transfer_, to));
    });
  }
  void close() {
    for (const hid_t one : all_) H5Dclose(one);
    all_.clear();
    if (file_ >= 0) H5Fclose(file_);
    file_ = -1;
  }

 private:
  template <class Action>
  void with_spaces(std::size_t which, const box& part, Action&& action) {
    const hsize_t offset[] = {part.offset[0], part.offset[1], part.offset[2]};
    const hsize_t count[] = {part.count[0], part.count[1], part.count[2]};
    const hid_t memory = required(H5Screate_simple(3, count, nullptr));
    const hid_t file = required(H5Dget_space(all_[which]));
    required(H5Sselect_hyperslab(file, H5S_SELECT_SET, offset, nullptr, count, nullptr));
    action(memory, file);
    H5Sclose(file);
    H5Sclose(memory);
  }

  hid_t file_;
  hid_t transfer_;
  std::vector<hid_t> all_;
};

}  // namespace perdure::bench
