// Arrays in one file of PnetCDF's, in the format CDF-5, written and read by all ranks together.
#include <pnetcdf.h>

#include <stdexcept>

#include "file_of_all_ranks.hpp"

namespace perdure::bench {

namespace {

void require_pnetcdf(int status) {
  if (status != NC_NOERR) throw std::runtime_error(std::string("PnetCDF: ") + ncmpi_strerror(status));
}

struct pnetcdf_box {
  explicit pnetcdf_box(const box& part) {
    for (std::size_t i = 0; i < 3; ++i) {
      offset[i] = static_cast<MPI_Offset>(part.offset[i]);
      count[i] = static_cast<MPI_Offset>(part.count[i]);
    }
  }
  MPI_Offset offset[3] = {};
  MPI_Offset count[3] = {};
};

class arrays_in_pnetcdf final : public file_of_all_ranks {
 public:
  arrays_in_pnetcdf(MPI_Comm ranks, const std::filesystem::path& path, const rank_arrays_shape& shape,
                    bool is_new)
      : file_of_all_ranks(ranks, path, shape, is_new) {
    require_pnetcdf(is_new
                        ? ncmpi_create(ranks, path.c_str(), NC_64BIT_DATA | NC_CLOBBER, MPI_INFO_NULL, &file_)
                        : ncmpi_open(ranks, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file_));
    int extent[3] = {};
    const char* const names[] = {"x", "y", "z"};
    for (std::size_t i = 0; is_new && i < 3; ++i)
      require_pnetcdf(ncmpi_def_dim(file_, names[i], static_cast<MPI_Offset>(shape.dims[i]), &extent[i]));
    for (std::size_t i = 0; i < shape.arrays; ++i) {
      const std::string name = "field" + std::to_string(i);
      int& variable = variables_.emplace_back();
      require_pnetcdf(is_new ? ncmpi_def_var(file_, name.c_str(), NC_DOUBLE, 3, extent, &variable)
                             : ncmpi_inq_varid(file_, name.c_str(), &variable));
    }
    if (is_new) require_pnetcdf(ncmpi_enddef(file_));
  }
  void write(std::size_t array, const double* from) override {
    const pnetcdf_box where(block_);
    require_pnetcdf(ncmpi_put_vara_double_all(file_, variables_[array], where.offset, where.count, from));
  }
  void read(std::size_t array, const box& part, double* to) override {
    const pnetcdf_box where(part);
    require_pnetcdf(ncmpi_get_vara_double_all(file_, variables_[array], where.offset, where.count, to));
  }

 private:
  void close_file() override { require_pnetcdf(ncmpi_close(file_)); }

  int file_ = -1;
  std::vector<int> variables_;
};

}  // namespace

std::vector<rank_array_file_kind> pnetcdf_rank_array_files() {
  return {
      {"pnetcdf", open_of_all_ranks<arrays_in_pnetcdf, true>, open_of_all_ranks<arrays_in_pnetcdf, false>}};
}

}  // namespace perdure::bench
