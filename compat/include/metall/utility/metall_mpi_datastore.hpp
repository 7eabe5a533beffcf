// Where the stores of an MPI program's processes are.
#pragma once

#include <string>

namespace metall::utility::mpi_datastore {

/// The directory that holds the stores of all processes.
inline std::string make_root_dir_path(const std::string& root_dir_prefix) {
  return root_dir_prefix + "/";
}
/// The store of one process; fit for `metall::manager`.
inline std::string make_local_dir_path(const std::string& root_dir_prefix, const int rank) {
  return make_root_dir_path(root_dir_prefix) + "subdir-" + std::to_string(rank);
}

}  // namespace metall::utility::mpi_datastore
