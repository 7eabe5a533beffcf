// Arrays in one HDF5 file of all ranks, by its parallel library: contiguous datasets, without fill values,
// each rank for itself or all together.
#include <hdf5.h>

#include <stdexcept>

#include "rank_array_files.hpp"

namespace perdure::bench {

namespace {

template <class Status>
Status required(Status status) {
  if (status < 0) throw std::runtime_error("HDF5 failed");
  return status;
}

class arrays_in_hdf5 final : public rank_array_file {
 public:
  arrays_in_hdf5(MPI_Comm ranks, std::filesystem::path path, const rank_arrays_shape& shape, bool is_new,
                 bool is_collective)
      : ranks_(ranks),
        path_(std::move(path)),
        is_new_(is_new),
        block_(block_of(shape.dims, shape.grid, static_cast<std::size_t>(rank_in(ranks)))) {
    const hid_t access = required(H5Pcreate(H5P_FILE_ACCESS));
    required(H5Pset_fapl_mpio(access, ranks, MPI_INFO_NULL));
    file_ = required(is_new ? H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)
                            : H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access));
    H5Pclose(access);
    transfer_ = required(H5Pcreate(H5P_DATASET_XFER));
    required(H5Pset_dxpl_mpio(transfer_, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT));
    const hid_t how = required(H5Pcreate(H5P_DATASET_CREATE));
    required(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER));
    const hsize_t extent[] = {shape.dims[0], shape.dims[1], shape.dims[2]};
    const hid_t space = required(H5Screate_simple(3, extent, nullptr));
    for (std::size_t i = 0; i < shape.arrays; ++i) {
      const std::string name = "field" + std::to_string(i);
      datasets_.push_back(required(
          is_new ? H5Dcreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT)
                 : H5Dopen2(file_, name.c_str(), H5P_DEFAULT)));
    }
    H5Sclose(space);
    H5Pclose(how);
  }
  ~arrays_in_hdf5() override { release(); }

  void write(std::size_t array, const double* from) override {
    with_spaces(array, block_, [&](hid_t memory, hid_t file) {
      required(H5Dwrite(datasets_[array], H5T_NATIVE_DOUBLE, memory, file, transfer_, from));
    });
  }
  void read(std::size_t array, const box& part, double* to) override {
    with_spaces(array, part, [&](hid_t memory, hid_t file) {
      required(H5Dread(datasets_[array], H5T_NATIVE_DOUBLE, memory, file, transfer_, to));
    });
  }
  void close() override {
    release();
    if (is_new_) sync_as_rank_0(ranks_, path_);
  }

 private:
  template <class Action>
  void with_spaces(std::size_t array, const box& part, Action&& action) {
    const hsize_t offset[] = {part.offset[0], part.offset[1], part.offset[2]};
    const hsize_t count[] = {part.count[0], part.count[1], part.count[2]};
    const hid_t memory = required(H5Screate_simple(3, count, nullptr));
    const hid_t file = required(H5Dget_space(datasets_[array]));
    required(H5Sselect_hyperslab(file, H5S_SELECT_SET, offset, nullptr, count, nullptr));
    action(memory, file);
    H5Sclose(file);
    H5Sclose(memory);
  }
  void release() {
    for (const hid_t one : datasets_) H5Dclose(one);
    datasets_.clear();
    if (transfer_ >= 0) H5Pclose(transfer_);
    transfer_ = -1;
    if (file_ >= 0) H5Fclose(file_);
    file_ = -1;
  }

  MPI_Comm ranks_;
  std::filesystem::path path_;
  bool is_new_;
  box block_;
  hid_t file_ = -1;
  hid_t transfer_ = -1;
  std::vector<hid_t> datasets_;
};

template <bool is_new, bool is_collective>
std::unique_ptr<rank_array_file> open_arrays(MPI_Comm ranks, const std::filesystem::path& path,
                                             const rank_arrays_shape& shape) {
  return std::make_unique<arrays_in_hdf5>(ranks, path, shape, is_new, is_collective);
}

}  // namespace

std::vector<rank_array_file_kind> hdf5_rank_array_files() {
  return {{"hdf5", open_arrays<true, false>, open_arrays<false, false>},
          {"hdf5-collective", open_arrays<true, true>, open_arrays<false, true>}};
}

}  // namespace perdure::bench
