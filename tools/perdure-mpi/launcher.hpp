// Variables by which the launcher (mpirun, srun) tells a process of its rank, with or without MPI.
#pragma once

#include <array>
#include <charconv>
#include <span>

#include "base/environment.hpp"

namespace perdure::cli {

/// Returns the number that the first of these variables has which is set; -1: none is, or it has no number.
inline int number_by_launcher(std::span<const char* const> names) {
  for (const char* const name : names) {
    const base::environment_variable theirs{.name = name, .purpose = {}, .by_default = {}, .read_by = {}};
    if (const auto value = base::value_of(theirs)) {
      int number = -1;
      std::from_chars(value->data(), value->data() + value->size(), number);
      return number;
    }
  }
  return -1;
}

/// Returns how many processes the launcher has started; -1: it does not say.
inline int processes_by_launcher() {
  return number_by_launcher(
      std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"});
}

/// Returns which of them this one is; -1: it does not say.
inline int rank_by_launcher() {
  return number_by_launcher(
      std::array{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"});
}

}  // namespace perdure::cli
