// Arrays in an HDF5 file, by its serial library.
#include <stdexcept>

#include "hdf5_datasets.hpp"
#include "plain_transfers.hpp"
#include "programs/array_files.hpp"
#include "programs/measure.hpp"

namespace perdure::bench {

namespace {

class arrays_in_hdf5 final : public array_file {
 public:
  arrays_in_hdf5(const std::filesystem::path& path, std::size_t arrays, const box_extent& dims, bool is_new)
      : path_(path),
        is_new_(is_new),
        datasets_(required(is_new ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                  : H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)),
                  arrays, dims, is_new, H5P_DEFAULT, H5P_DEFAULT) {}

  void write(std::size_t array, const box& part, const double* from) override {
    datasets_.write(array, part, from);
  }
  void read(std::size_t array, const box& part, double* to) override { datasets_.read(array, part, to); }
  void close() override {
    datasets_.close();
    if (is_new_) sync_file(path_);
  }

 private:
  std::filesystem::path path_;
  bool is_new_;
  hdf5_datasets datasets_;
};

template <bool is_new>
std::unique_ptr<array_file> open_hdf5_arrays(const std::filesystem::path& path, std::size_t arrays,
                                             const box_extent& dims) {
  return std::make_unique<arrays_in_hdf5>(path, arrays, dims, is_new);
}

}  // namespace

std::vector<array_file_kind> hdf5_array_file_kinds() {
  return {{"hdf5", true, open_hdf5_arrays<true>, open_hdf5_arrays<false>}};
}

small_array_seconds small_arrays_in_hdf5(const std::filesystem::path& path, std::size_t arrays) {
  small_array_seconds taken;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arrays; ++i) names.push_back(std::to_string(i));
  std::vector<double> values(10);
  const hsize_t extent = values.size();
  {
    const stopwatch watch;
    const hid_t file = required(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    for (std::size_t i = 0; i < arrays; ++i) {
      values[0] = static_cast<double>(i);
      const hid_t space = required(H5Screate_simple(1, &extent, nullptr));
      const hid_t dataset = required(H5Dcreate2(file, names[i].c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                                H5P_DEFAULT, H5P_DEFAULT));
      required(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
      H5Dclose(dataset);
      H5Sclose(space);
    }
    H5Fclose(file);
    sync_file(path);
    taken.store = watch.wall();
  }
  const stopwatch watch;
  const hid_t file = required(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  taken.open = watch.wall();
  for (std::size_t i = 0; i < arrays; ++i) {
    const hid_t dataset = required(H5Dopen2(file, names[i].c_str(), H5P_DEFAULT));
    required(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Dclose(dataset);
    if (values[0] != static_cast<double>(i)) throw std::logic_error("another array was loaded");
  }
  taken.load = watch.wall() - taken.open;
  H5Fclose(file);
  return taken;
}

}  // namespace perdure::bench
