// Reports of communities, as text and for --json.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/labels_by_id.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace perdure::cli {

/// The communities that `--from` began with.
struct given_communities {
  std::string array;
  graph::matched_labels found;
};

/// Returns the keys that all commands for communities have.
json findings_of(const graph::community_summary& summary);
/// Adds the keys of Louvain's method: `resolution`, `levels`, and `by_level` and `from` where there are some.
template <class Label>
void add_louvain_findings(json& findings, const graph::community_summary& summary, double resolution,
                          const std::vector<graph::community_level<Label>>& levels,
                          const std::optional<given_communities>& from, std::uint64_t vertices) {
  findings["levels"] = summary.levels;
  findings["resolution"] = resolution;
  for (const graph::community_level<Label>& level : levels)
    findings["by_level"].push_back({{"communities", level.communities}, {"modularity", level.modularity}});
  if (from)
    findings["from"] = {{"array", from->array},
                        {"vertices", from->found.matched},
                        {"new_vertices", vertices - from->found.matched},
                        {"missing_vertices", from->found.left}};
}
/// Writes the same for people. `times` says how long it took.
void write_communities(output& out, const graph::community_summary& summary, const std::string& times,
                       std::uint64_t vertices, const std::optional<given_communities>& from = std::nullopt);

}  // namespace perdure::cli
