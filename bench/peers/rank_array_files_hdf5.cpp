// Arrays in one HDF5 file of all ranks, by its parallel library: contiguous datasets, without fill values,
// each rank for itself or all together.
#include <optional>

#include "file_of_all_ranks.hpp"
#include "hdf5_datasets.hpp"

namespace perdure::bench {

namespace {

/// A set of properties.
class hdf5_properties {
 public:
  explicit hdf5_properties(hid_t of) : id_(required(H5Pcreate(of))) {}
  hdf5_properties(const hdf5_properties&) = delete;
  hdf5_properties& operator=(const hdf5_properties&) = delete;
  ~hdf5_properties() { H5Pclose(id_); }
  hid_t id() const noexcept { return id_; }

 private:
  hid_t id_;
};

class arrays_in_hdf5 final : public file_of_all_ranks {
 public:
  arrays_in_hdf5(MPI_Comm ranks, const std::filesystem::path& path, const rank_arrays_shape& shape,
                 bool is_new, bool is_collective)
      : file_of_all_ranks(ranks, path, shape, is_new), transfer_(H5P_DATASET_XFER) {
    required(H5Pset_dxpl_mpio(transfer_.id(), is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT));
    const hdf5_properties access(H5P_FILE_ACCESS);
    required(H5Pset_fapl_mpio(access.id(), ranks, MPI_INFO_NULL));
    const hdf5_properties creation(H5P_DATASET_CREATE);
    required(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER));
    datasets_.emplace(required(is_new ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id())
                                      : H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id())),
                      shape.arrays, shape.dims, is_new, creation.id(), transfer_.id());
  }

  void write(std::size_t array, const double* from) override { datasets_->write(array, block_, from); }
  void read(std::size_t array, const box& part, double* to) override { datasets_->read(array, part, to); }

 private:
  void close_file() override { datasets_->close(); }

  hdf5_properties transfer_;
  std::optional<hdf5_datasets> datasets_;
};

}  // namespace

std::vector<rank_array_file_kind> hdf5_rank_array_files() {
  return {{"hdf5", open_of_all_ranks<arrays_in_hdf5, true, false>,
           open_of_all_ranks<arrays_in_hdf5, false, false>},
          {"hdf5-collective", open_of_all_ranks<arrays_in_hdf5, true, true>,
           open_of_all_ranks<arrays_in_hdf5, false, true>}};
}

}  // namespace perdure::bench
