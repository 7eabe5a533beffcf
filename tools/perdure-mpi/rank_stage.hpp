// `--stage`: each rank works in a directory on a fast device of its machine.
#pragma once

#include <filesystem>
#include <optional>
#include <perdure/stage_place.hpp>

#include "job.hpp"

namespace perdure::cli {

/// `--stage`, and what it does.
void add_stage_option(command target, std::filesystem::path& directory, const char* description);

/// This rank's place in the directory that `--stage` names; none without it. It is removed when this ends.
class rank_stage {
 public:
  /// Collective. Removes what runs that were killed have left there, and tells of it.
  rank_stage(job& run, const std::filesystem::path& directory);

  /// Empty without `--stage`.
  std::filesystem::path path() const { return place_ ? place_->path() : std::filesystem::path(); }
  /// Collective. Removes what is in it.
  void remove(job& run);

 private:
  std::optional<stage_place> place_;
};

/// Collective. Removes the set through which `SET` was made, if a run that was killed has left it, and tells
/// of it. Returns its path.
std::filesystem::path free_staged_set(job& run, const std::filesystem::path& set);

}  // namespace perdure::cli
