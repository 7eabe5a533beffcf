// A few MPI calls, with failures told to the logger. For programs that have MPI.
#pragma once

#include <mpi.h>

#include <metall/logger.hpp>
#include <utility>

namespace metall::utility::mpi {

namespace detail {
inline bool succeeded(const int result, const char* const call, const int line) noexcept {
  if (result == MPI_SUCCESS) return true;
  logger::out(logger::level::error, __FILE__, line, call);
  return false;
}
}  // namespace detail

/// -1 on error.
inline int comm_rank(const MPI_Comm& comm) {
  int rank = -1;
  return detail::succeeded(::MPI_Comm_rank(comm, &rank), "MPI_Comm_rank failed", __LINE__) ? rank : -1;
}
/// -1 on error.
inline int comm_size(const MPI_Comm& comm) {
  int size = -1;
  return detail::succeeded(::MPI_Comm_size(comm, &size), "MPI_Comm_size failed", __LINE__) ? size : -1;
}
inline bool barrier(const MPI_Comm& comm) {
  return detail::succeeded(::MPI_Barrier(comm), "MPI_Barrier failed", __LINE__);
}

/// Whether the call succeeded, and whether all processes gave true.
inline std::pair<bool, bool> global_logical_and(const bool local_value, const MPI_Comm& comm) {
  int mine = local_value ? 1 : 0;
  int all = 0;
  const bool done = detail::succeeded(::MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm),
                                      "MPI_Allreduce failed", __LINE__);
  return {done, done && all != 0};
}
/// Whether the call succeeded, and whether any process gave true.
inline std::pair<bool, bool> global_logical_or(const bool local_value, const MPI_Comm& comm) {
  int mine = local_value ? 1 : 0;
  int any = 0;
  const bool done = detail::succeeded(::MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_LOR, comm),
                                      "MPI_Allreduce failed", __LINE__);
  return {done, done && any != 0};
}

/// The lowest rank on this process's machine; -1 on error.
inline int determine_local_root(const MPI_Comm& comm) {
  int mine = comm_rank(comm);
  MPI_Comm neighbours = MPI_COMM_NULL;
  if (!detail::succeeded(::MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, mine, MPI_INFO_NULL, &neighbours),
                         "MPI_Comm_split_type failed", __LINE__))
    return -1;
  int lowest = -1;
  const bool done = detail::succeeded(::MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, neighbours),
                                      "MPI_Allreduce failed", __LINE__);
  ::MPI_Comm_free(&neighbours);
  return done ? lowest : -1;
}

}  // namespace metall::utility::mpi
