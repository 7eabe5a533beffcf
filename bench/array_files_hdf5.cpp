// Arrays in an HDF5 file, by its serial library.
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <stdexcept>

#include "array_files.hpp"
#include "measure.hpp"

namespace perdure::bench {

namespace {

template <class Status>
Status required(Status status) {
  if (status < 0) throw std::runtime_error("HDF5 failed");
  return status;
}

void sync_hdf5(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::fdatasync(descriptor) != 0)
    throw std::runtime_error("cannot sync a file of HDF5's");
  ::close(descriptor);
}

class arrays_in_hdf5 final : public array_file {
 public:
  arrays_in_hdf5(const std::filesystem::path& path, std::size_t arrays, const box_extent& dims, bool is_new)
      : path_(path), is_new_(is_new) {
    file_ = required(is_new ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                            : H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hsize_t extent[] = {dims[0], dims[1], dims[2]};
    for (std::size_t i = 0; i < arrays; ++i) {
      const std::string name = "field" + std::to_string(i);
      if (is_new) {
        const hid_t space = required(H5Screate_simple(3, extent, nullptr));
        datasets_.push_back(required(H5Dcreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                                H5P_DEFAULT, H5P_DEFAULT)));
        H5Sclose(space);
      } else {
        datasets_.push_back(required(H5Dopen2(file_, name.c_str(), H5P_DEFAULT)));
      }
    }
  }
  ~arrays_in_hdf5() override { release(); }

  void write(std::size_t array, const box& part, const double* from) override {
    with_spaces(array, part, [&](hid_t memory, hid_t file) {
      required(H5Dwrite(datasets_[array], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, from));
    });
  }
  void read(std::size_t array, const box& part, double* to) override {
    with_spaces(array, part, [&](hid_t memory, hid_t file) {
      required(H5Dread(datasets_[array], H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, to));
    });
  }
  void close() override {
    release();
    if (is_new_) sync_hdf5(path_);
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
    if (file_ >= 0) H5Fclose(file_);
    file_ = -1;
  }

  std::filesystem::path path_;
  bool is_new_;
  hid_t file_ = -1;
  std::vector<hid_t> datasets_;
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
    sync_hdf5(path);
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
