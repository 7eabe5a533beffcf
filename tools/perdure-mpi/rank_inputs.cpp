#include "rank_inputs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <string>

#include "complaint.hpp"
#include "graph_options.hpp"

namespace perdure::cli {
namespace {

/// Throws where some inputs have weights, and others have none.
bool some_have_weights(const std::vector<graph::graph_input>& inputs) {
  const auto has_some = [](const graph::graph_input& one) { return one.info.has_weights; };
  const auto with = std::find_if(inputs.begin(), inputs.end(), has_some);
  const auto without = std::find_if_not(inputs.begin(), inputs.end(), has_some);
  if (with != inputs.end() && without != inputs.end())
    throw error(errc::invalid_argument, with->name + " has weights and " + without->name +
                                            " has none: leave them out with --weight-column none");
  return with != inputs.end();
}

/// Collective. Throws, on all ranks, where another rank than the first one sees another content of a file of
/// which each rank reads its piece.
void require_same_content(job& run, const std::vector<graph::graph_input>& inputs) {
  for (const graph::graph_input& one : inputs) {
    std::array<std::uint64_t, 1> divided{one.is_divided ? 1U : 0U};
    run.ranks().add_up(divided);
    const std::vector<std::uint64_t> contents = run.ranks().gather(std::hash<std::string>()(one.fingerprint));
    if (divided[0] == 0) continue;
    const auto other = std::find_if(contents.begin(), contents.end(),
                                    [&](std::uint64_t content) { return content != contents.front(); });
    if (other == contents.end()) continue;
    throw error(errc::invalid_argument,
                "rank " + std::to_string(other - contents.begin()) + " sees another content of " + one.name +
                    " than rank 0, or no such file, and each rank reads its piece: give a file that is the "
                    "same on all machines");
  }
}

}  // namespace

void add_input_options(command target, graph_files& input) {
  target.add_paths("FILE", input.files, "Files of edges, in any format; '-' is standard input");
  add_file_options(target, input.reading);
  add_generated_options(target, input);
  target.add_flag("--undirected", input.undirected, "Take edges of a directed graph in both directions");
}

rank_inputs::rank_inputs(job& run, const graph_files& given, const char* verb) : run_(run) {
  graph::rank_exchange& ranks = run.ranks();
  given.require_some(verb);
  graph::joint_call(ranks, [&] {
    inputs_ =
        given.open(interruption_, nullptr,
                   {static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())});
    for (const graph::graph_input& one : inputs_)
      if (one.info.kind == graph::direction::directed && !given.undirected)
        throw error(errc::invalid_argument,
                    one.name +
                        " is directed, and graphs of ranks are undirected: take each edge in both "
                        "directions with --undirected");
  });
  require_same_content(run, inputs_);
  // Rank 0 knows of all inputs.
  std::array<std::uint64_t, 1> weighted{};
  graph::joint_call(ranks, [&] {
    if (run.is_first()) weighted[0] = some_have_weights(inputs_) ? 1 : 0;
  });
  ranks.add_up(weighted);
  have_weights_ = weighted[0] != 0;
}

json rank_inputs::report() {
  std::array<std::uint64_t, 1> skipped{};
  for (const graph::graph_input& one : inputs_) skipped[0] += one.edges->skipped_lines();
  run_.ranks().add_up(skipped);
  if (!run_.is_first()) return json::object();
  tell_ignored_columns(inputs_, "perdure-mpi");
  for (const graph::graph_input& one : inputs_)
    if (one.info.has_times) remark("perdure-mpi", one.name + ": not kept: times of edges");
  return {{"files", what_was_read(inputs_)}, {"skipped_lines", skipped[0]}};
}

}  // namespace perdure::cli
