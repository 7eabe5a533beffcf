// Arrays in a NetCDF-4 file.
#include <netcdf.h>

#include <stdexcept>

#include "plain_transfers.hpp"
#include "programs/array_files.hpp"

namespace perdure::bench {

namespace {

void require_netcdf(int status) {
  if (status != NC_NOERR) throw std::runtime_error(std::string("NetCDF: ") + nc_strerror(status));
}

class arrays_in_netcdf final : public array_file {
 public:
  arrays_in_netcdf(const std::filesystem::path& path, std::size_t arrays, const box_extent& dims, bool is_new)
      : path_(path), is_new_(is_new) {
    require_netcdf(is_new ? nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file_)
                          : nc_open(path.c_str(), NC_NOWRITE, &file_));
    int extent[3] = {};
    const char* const names[] = {"x", "y", "z"};
    for (std::size_t i = 0; is_new && i < 3; ++i)
      require_netcdf(nc_def_dim(file_, names[i], dims[i], &extent[i]));
    for (std::size_t i = 0; i < arrays; ++i) {
      const std::string name = "field" + std::to_string(i);
      variables_.emplace_back();
      if (is_new) {
        require_netcdf(nc_def_var(file_, name.c_str(), NC_DOUBLE, 3, extent, &variables_.back()));
        require_netcdf(nc_def_var_fill(file_, variables_.back(), NC_NOFILL, nullptr));
      } else {
        require_netcdf(nc_inq_varid(file_, name.c_str(), &variables_.back()));
      }
    }
    if (is_new) require_netcdf(nc_enddef(file_));
  }
  ~arrays_in_netcdf() override {
    if (file_ >= 0) nc_close(file_);
  }

  void write(std::size_t array, const box& part, const double* from) override {
    require_netcdf(nc_put_vara_double(file_, variables_[array], part.offset.data(), part.count.data(), from));
  }
  void read(std::size_t array, const box& part, double* to) override {
    require_netcdf(nc_get_vara_double(file_, variables_[array], part.offset.data(), part.count.data(), to));
  }
  void close() override {
    require_netcdf(nc_close(file_));
    file_ = -1;
    if (is_new_) sync_file(path_);
  }

 private:
  std::filesystem::path path_;
  bool is_new_;
  int file_ = -1;
  std::vector<int> variables_;
};

template <bool is_new>
std::unique_ptr<array_file> open_netcdf_arrays(const std::filesystem::path& path, std::size_t arrays,
                                               const box_extent& dims) {
  return std::make_unique<arrays_in_netcdf>(path, arrays, dims, is_new);
}

}  // namespace

std::vector<array_file_kind> netcdf_array_file_kinds() {
  return {{"netcdf", true, open_netcdf_arrays<true>, open_netcdf_arrays<false>}};
}

}  // namespace perdure::bench
