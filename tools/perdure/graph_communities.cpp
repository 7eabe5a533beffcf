// perdure graph louvain, perdure graph lpa: communities.
#include <limits>
#include <memory>
#include <optional>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "community_report.hpp"
#include "graph_analysis.hpp"
#include "graph_options.hpp"

namespace perdure::cli {
namespace {

struct wanted_louvain : analysis_options {
  graph::louvain_options how;
  std::string from;
};
struct wanted_labels : analysis_options {
  graph::label_propagation_options how;
};

/// Keeps and reports communities.
template <class Graph>
void tell(analysis& run, const analysis_options& given, const Graph& graph,
          const graph::community_result& found, const json& findings,
          const std::optional<given_communities>& from = std::nullopt) {
  if (given.has_values()) {
    const std::vector<graph::vertex_id> ids = graph::component_ids(graph, found.labels);
    run.write_vertices(graph, {{"community"}},
                       [&](value_line& line, graph::vertex_handle v) { line(ids[v]); });
  }
  run.report(findings, [&](output& out) {
    write_communities(out, found.summary, run.times("communities"), run.vertices(), from);
  });
}

/// Returns the communities of all levels by ids, in the order in which values are kept.
template <class Graph>
std::vector<graph::community_level<graph::vertex_id>> levels_by_id(const Graph& graph,
                                                                   const graph::community_result& found) {
  std::vector<graph::community_level<graph::vertex_id>> levels;
  for (const graph::community_level<graph::vertex_handle>& level : found.levels) {
    const std::vector<graph::vertex_id> ids = graph::component_ids(graph, level.labels);
    auto& kept = levels.emplace_back();
    kept.communities = level.communities;
    kept.modularity = level.modularity;
    for (const graph::vertex_handle v : graph.in_id_order()) kept.labels.push_back(ids[v]);
  }
  return levels;
}

/// Returns the communities that the store has as an array, for the vertices of the graph.
template <class Graph>
given_communities communities_in(const analysis& run, const std::string& name, const Graph& graph) {
  const graph::labels_by_id kept = graph::stored_communities(*run.arrays().untyped(), name);
  std::vector<graph::vertex_id> ids(graph.size());
  for (std::size_t v = 0; v < ids.size(); ++v) ids[v] = graph.id(static_cast<graph::vertex_handle>(v));
  graph::lone_exchange lone;
  return {name, graph::match_labels(ids, kept, lone)};
}

void find_by_modularity(const wanted_louvain& given) {
  require_one_beginning(given.how, given.from);
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::louvain_options how = given.how;
    how.threads = given.threads;
    how.reads_rows_once = given.budget != 0;
    how.keep_levels = !given.store_as.empty();
    std::optional<given_communities> from;
    if (!given.from.empty()) from = communities_in(run, given.from, graph);
    const graph::community_result found = run.timed([&] {
      return from ? graph::louvain_from(graph, from->found.labels, how) : graph::louvain(graph, how);
    });
    run.check([&] { return graph::verify_communities(graph, found, how.resolution); });
    run.keep_levels(levels_by_id(graph, found));
    json findings = findings_of(found.summary);
    add_louvain_findings(findings, found.summary, how.resolution, found.levels, from, run.vertices());
    tell(run, given, graph, found, findings, from);
  });
}

void find_by_labels(const wanted_labels& given) {
  analysis run(given);
  run.on_graph([&](const auto& graph) {
    graph::label_propagation_options how = given.how;
    how.threads = given.threads;
    const graph::community_result found = run.timed([&] { return graph::label_propagation(graph, how); });
    run.check([&] { return graph::verify_communities(graph, found); });
    tell(run, given, graph, found, findings_of(found.summary));
  });
}

}  // namespace

void add_community_commands(command graph_command) {
  const std::string columns = "id, and the smallest id of its community";
  auto given = std::make_shared<wanted_louvain>();
  command louvain = add_analysis_command(
      graph_command, "louvain",
      "Communities with many edges within and few between them, by Louvain's method", columns, *given);
  add_louvain_options(louvain, given->how, given->from);
  louvain.example("web.store --output communities.csv", "Write the community of each vertex");
  louvain.example("web.store --store-as communities", "Keep the communities in the store");
  louvain.callback([given] { find_by_modularity(*given); });

  auto given_labels = std::make_shared<wanted_labels>();
  command labels = add_analysis_command(
      graph_command, "lpa", "Communities by label propagation, which is faster and worse than louvain",
      columns, *given_labels);
  labels
      .add_number(
          "--iterations", 1, std::numeric_limits<unsigned>::max(), "End after so many at the latest",
          [given_labels](std::uint64_t n) { given_labels->how.iterations = static_cast<unsigned>(n); })
      .default_text(std::to_string(given_labels->how.iterations));
  labels.example("web.store", "Find communities fast");
  labels.callback([given_labels] { find_by_labels(*given_labels); });
}

}  // namespace perdure::cli
