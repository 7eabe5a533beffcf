// Three-dimensional arrays of doubles that the ranks of an MPI program write and read in parts: Perdure's,
// and its peers'.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "array_box.hpp"

namespace perdure::bench {

/// The arrays of one run, all with the same dimensions.
struct rank_arrays_shape {
  std::size_t arrays = 0;
  box_extent dims{};
  /// One block of each array for each rank that writes them.
  box_extent grid{};
};

/// Open on all ranks of a communicator, to be written or read. All ranks make the same calls in the same
/// order.
class rank_array_file {
 public:
  rank_array_file() = default;
  rank_array_file(const rank_array_file&) = delete;
  rank_array_file& operator=(const rank_array_file&) = delete;
  virtual ~rank_array_file() = default;

  /// The rank's block of an array. `from` stays as it is until `close` has returned.
  virtual void write(std::size_t array, const double* from) = 0;
  /// Any part; it may come as late as `close` returns.
  virtual void read(std::size_t array, const box& part, double* to) = 0;
  /// What this rank was to read is there, or what it has written is on the device.
  virtual void close() = 0;
};

struct rank_array_file_kind {
  std::string name;
  std::unique_ptr<rank_array_file> (*create)(MPI_Comm ranks, const std::filesystem::path& path,
                                             const rank_arrays_shape& shape);
  /// By any number of ranks.
  std::unique_ptr<rank_array_file> (*open)(MPI_Comm ranks, const std::filesystem::path& path,
                                           const rank_arrays_shape& shape);
};

int rank_in(MPI_Comm ranks);

/// Makes what one rank has written to a file of all ranks durable, as rank 0; the others wait for that.
void sync_as_rank_0(MPI_Comm ranks, const std::filesystem::path& path);

std::vector<rank_array_file_kind> own_rank_array_files();
std::vector<rank_array_file_kind> plain_rank_array_files();
std::vector<rank_array_file_kind> hdf5_rank_array_files();
std::vector<rank_array_file_kind> netcdf_rank_array_files();
std::vector<rank_array_file_kind> pnetcdf_rank_array_files();
std::vector<rank_array_file_kind> adios_rank_array_files();

}  // namespace perdure::bench
