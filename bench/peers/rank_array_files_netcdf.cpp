// Arrays in one NetCDF-4 file of all ranks, without fill values, each rank for itself.
#include <netcdf.h>
#include <netcdf_par.h>

#include <stdexcept>

#include "file_of_all_ranks.hpp"

namespace perdure::bench {

namespace {

void require_netcdf(int status) {
  if (status != NC_NOERR) throw std::runtime_error(std::string("NetCDF: ") + nc_strerror(status));
}

class arrays_in_netcdf final : public file_of_all_ranks {
 public:
  arrays_in_netcdf(MPI_Comm ranks, const std::filesystem::path& path, const rank_arrays_shape& shape,
                   bool is_new)
      : file_of_all_ranks(ranks, path, shape, is_new) {
    require_netcdf(is_new ? nc_create_par(path.c_str(), NC_NETCDF4 | NC_CLOBBER, ranks, MPI_INFO_NULL, &file_)
                          : nc_open_par(path.c_str(), NC_NOWRITE, ranks, MPI_INFO_NULL, &file_));
    int extent[3] = {};
    const char* const names[] = {"x", "y", "z"};
    for (std::size_t i = 0; is_new && i < 3; ++i)
      require_netcdf(nc_def_dim(file_, names[i], shape.dims[i], &extent[i]));
    for (std::size_t i = 0; i < shape.arrays; ++i) {
      const std::string name = "field" + std::to_string(i);
      int& variable = variables_.emplace_back();
      if (is_new) {
        require_netcdf(nc_def_var(file_, name.c_str(), NC_DOUBLE, 3, extent, &variable));
        require_netcdf(nc_def_var_fill(file_, variable, NC_NOFILL, nullptr));
      } else {
        require_netcdf(nc_inq_varid(file_, name.c_str(), &variable));
      }
    }
    if (is_new) require_netcdf(nc_enddef(file_));
    for (const int variable : variables_) require_netcdf(nc_var_par_access(file_, variable, NC_INDEPENDENT));
  }
  void write(std::size_t array, const double* from) override {
    require_netcdf(
        nc_put_vara_double(file_, variables_[array], block_.offset.data(), block_.count.data(), from));
  }
  void read(std::size_t array, const box& part, double* to) override {
    require_netcdf(nc_get_vara_double(file_, variables_[array], part.offset.data(), part.count.data(), to));
  }

 private:
  void close_file() override { require_netcdf(nc_close(file_)); }

  int file_ = -1;
  std::vector<int> variables_;
};

}  // namespace

std::vector<rank_array_file_kind> netcdf_rank_array_files() {
  return {
      {"netcdf-4", open_of_all_ranks<arrays_in_netcdf, true>, open_of_all_ranks<arrays_in_netcdf, false>}};
}

}  // namespace perdure::bench
