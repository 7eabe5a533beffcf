#include "rank_stage.hpp"

#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/store_set.hpp>
#include <string>

#include "complaint.hpp"

namespace perdure::cli {
namespace {

void tell_of_removed(const std::filesystem::path& path) {
  complain("perdure-mpi", "removed " + path.string() + ", which a run that was killed had left");
}

}  // namespace

void add_stage_option(command target, std::filesystem::path& directory, const char* description) {
  target.add_path("--stage", directory, description);
}

rank_stage::rank_stage(job& run, const std::filesystem::path& directory) {
  if (directory.empty()) return;
  // Places are made when no rank looks for abandoned ones any more: on other machines it would not know this
  // process.
  graph::joint_call(run.ranks(), [&] {
    for (const std::filesystem::path& one : remove_abandoned_stages(directory)) tell_of_removed(one);
  });
  graph::joint_call(run.ranks(), [&] { place_.emplace(directory); });
}

void rank_stage::remove(job& run) {
  place_.reset();
  run.ranks().gather(0);
}

std::filesystem::path free_staged_set(job& run, const std::filesystem::path& set) {
  std::filesystem::path staged = set.lexically_normal();
  if (!staged.has_filename()) staged = staged.parent_path();
  staged += ".perdure-stage";
  graph::joint_call(run.ranks(), [&] {
    if (run.is_first() && remove_set(staged, parts_elsewhere::forget)) tell_of_removed(staged);
  });
  return staged;
}

}  // namespace perdure::cli
