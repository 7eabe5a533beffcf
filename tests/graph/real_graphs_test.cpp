// Real graphs against what other libraries say of them. Needs the data folder (data_files.hpp).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/core_numbers.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/strong_components.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/trusses.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <sstream>

#include "rank_graphs.hpp"
#include "reference_graph.hpp"
#include "support/data_files.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using nlohmann::json;

std::string content(const std::filesystem::path& path) {
  const auto stream = perdure::workload::open_byte_stream(path);
  std::string all;
  std::string part(1 << 20, '\0');
  while (const std::size_t got = stream->read(part.data(), part.size())) all.append(part, 0, got);
  return all;
}

// Three ranks, two threads each.
template <class Work>
auto answers_of_ranks(const csr_view& view, const Work& work) {
  return results_of_ranks(view, even_bounds(view.size(), 3), work);
}

struct real_graph {
  const char* edges;
  const char* reference;
};

class RealGraphs : public testing::TestWithParam<real_graph> {};

INSTANTIATE_TEST_SUITE_P(Data, RealGraphs,
                         testing::Values(real_graph{"wiki-Vote.txt.gz", "wiki-Vote"},
                                         real_graph{"email-Eu-core.txt.gz", "email-Eu-core"},
                                         real_graph{"facebook_combined.txt.gz", "ego-Facebook"},
                                         real_graph{"as20000102.txt.gz", "as20000102"}));

TEST_P(RealGraphs, HaveTheAnswersThatOthersFind) {
  const auto path = data_file(std::string("graphs/") + GetParam().edges);
  if (path.empty()) GTEST_SKIP() << "no test data";
  const std::string reference = std::string("reference/") + GetParam().reference;
  const json facts = json::parse(content(data_file(reference + ".json")));
  const json all = json::parse(content(data_file(reference + ".full.json.gz")));
  for (const direction kind : {direction::undirected, direction::directed}) {
    const std::string search = kind == direction::undirected ? "bfs_undirected" : "bfs_directed";
    if (!facts.contains(search)) continue;
    for (const vertex_order order : {vertex_order::by_id, vertex_order::by_degree}) {
      memory_csr graph;
      build_csr(graph, *open_graph_file(path),
                {.kind = kind,
                 .drop_loops = true,
                 .drop_duplicates = true,
                 .with_incoming = true,
                 .order = order,
                 .threads = 2});
      EXPECT_EQ(graph.vertices(), facts["vertices"]);
      EXPECT_EQ(graph.edges(), facts[kind == direction::undirected ? "unique_undirected_edges_no_loops"
                                                                   : "unique_directed_edges_no_loops"]);
      const csr_view view = graph.view();
      const vertex_handle start = view.find(facts[search]["source"]);
      const bfs_result found = bfs(view, start, 2);
      EXPECT_EQ(found.summary.reached, facts[search]["reached"]);
      EXPECT_EQ(json(found.summary.histogram), facts[search]["levels_histogram"]);
      EXPECT_EQ(verify_bfs(view, start, found.levels, found.parents).value_or("right"), "right");
      if (const auto levels = all.find(search + "_levels"); levels != all.end()) {
        for (const auto& [id, level] : levels->items())
          EXPECT_EQ(found.levels[view.find(std::stoull(id))], level) << id;
      }
      const std::string ranks =
          kind == direction::undirected ? "pagerank_undirected_networkx" : "pagerank_directed_networkx";
      const pagerank_result ranked = pagerank(view, {.threads = 2});
      for (const auto& one : facts[ranks]["top10"])
        EXPECT_NEAR(ranked.ranks[view.find(one[0])], one[1].get<double>(), 1e-9);
      if (const auto values = all.find(ranks); values != all.end()) {
        for (const auto& [id, rank] : values->items())
          EXPECT_NEAR(ranked.ranks[view.find(std::stoull(id))], rank.get<double>(), 1e-9) << id;
      }
      const clustering_result clustered = clustering(view, 2);
      EXPECT_EQ(count_triangles(view, 2), facts["triangles_undirected"]);
      EXPECT_EQ(clustered.summary.triangles, facts["triangles_undirected"]);
      EXPECT_NEAR(clustered.summary.average_clustering, facts["avg_clustering"].get<double>(), 1e-12);
      EXPECT_NEAR(clustered.summary.transitivity, facts["transitivity"].get<double>(), 1e-12);
      const core_result cores = core_numbers(view, 2);
      EXPECT_EQ(cores.histogram.size() - 1, facts["degeneracy_max_core"]);
      const truss_result truss = trusses(view, 2);
      for (const auto& [k, edges] : facts["ktruss_edges"].items())
        EXPECT_EQ(truss.edges_of(static_cast<std::uint32_t>(std::stoul(k))), edges) << k;
      if (kind == direction::directed) {
        const component_result strong = strong_components(view, 2);
        EXPECT_EQ(strong.summary.components, facts["scc_count"]);
        EXPECT_EQ(strong.summary.largest, facts["scc_largest"]);
      }
      double best = facts["leiden_modularity_igraph"];
      for (const auto& one : facts["louvain_modularity_igraph_5seeds"])
        best = std::max(best, one.get<double>());
      const community_result communities = louvain(view, {.threads = 2});
      EXPECT_GE(communities.summary.modularity, best - 0.005);
      EXPECT_EQ(verify_communities(view, communities).value_or("right"), "right");
      EXPECT_EQ(verify_communities(view, label_propagation(view, {.threads = 2})).value_or("right"), "right");
      const component_result components = connected_components(view, 2);
      EXPECT_EQ(components.summary.components, facts["wcc_count"]);
      EXPECT_EQ(components.summary.largest, facts["wcc_largest"]);
      if (kind == direction::directed) continue;
      const auto levels = answers_of_ranks(
          view, [&](const rank_graph& part, rank_exchange& own) { return bfs(part, own, start, 2); });
      EXPECT_EQ(joined(levels, &rank_bfs_result::levels), found.levels);
      const auto parts = answers_of_ranks(view, [](const rank_graph& part, rank_exchange& own) {
        return connected_components(part, own, 2);
      });
      EXPECT_EQ(joined(parts, &rank_component_result::labels),
                std::vector<vertex_id>(components.labels.begin(), components.labels.end()));
      const auto values = joined(
          answers_of_ranks(view, [](const rank_graph& part,
                                    rank_exchange& own) { return pagerank(part, own, {.threads = 2}); }),
          &pagerank_result::ranks);
      for (std::size_t v = 0; v < values.size(); ++v) EXPECT_NEAR(values[v], ranked.ranks[v], 1e-9) << v;
      EXPECT_EQ(answers_of_ranks(view, [](const rank_graph& part,
                                          rank_exchange& own) { return count_triangles(part, own, 2); })
                    .front(),
                facts["triangles_undirected"]);
      if (order != vertex_order::by_id) continue;
      const community_result once = louvain(view, {.starts = 1});
      const auto found_by_ranks = answers_of_ranks(view, [](const rank_graph& part, rank_exchange& own) {
        return louvain(part, own, {.starts = 1, .threads = 2});
      });
      EXPECT_EQ(joined(found_by_ranks, &rank_community_result::labels),
                std::vector<vertex_id>(once.labels.begin(), once.labels.end()));
      EXPECT_EQ(found_by_ranks.front().summary.modularity, once.summary.modularity);
    }
  }
}

TEST(RealGraphs, LevelsAndComponentsEqualHavoqGts) {
  const auto path = data_file("kron/rmat_s17.edges.xz");
  if (path.empty()) GTEST_SKIP() << "no test data";
  memory_csr graph;
  build_csr(graph, *open_graph_file(path), {.kind = direction::undirected, .threads = 2});
  const csr_view view = graph.view();
  const bfs_result found = bfs(view, view.find(0), 2);
  const component_result components = connected_components(view, 2);
  const std::vector<vertex_id> labels = component_ids(view, components.labels);
  const auto levels_of_ranks = answers_of_ranks(
      view, [&](const rank_graph& part, rank_exchange& own) { return bfs(part, own, view.find(0), 2); });
  EXPECT_EQ(joined(levels_of_ranks, &rank_bfs_result::levels), found.levels);
  const auto components_of_ranks = answers_of_ranks(
      view, [](const rank_graph& part, rank_exchange& own) { return connected_components(part, own, 2); });
  EXPECT_EQ(joined(components_of_ranks, &rank_component_result::labels),
            std::vector<vertex_id>(components.labels.begin(), components.labels.end()));
  // Lines of a vertex and its level or the smallest vertex of its component; isolated ids are in no edge.
  const auto each_line = [](const char* name, auto&& visit) {
    std::istringstream lines(content(data_file(name)));
    for (vertex_id v = 0, value = 0; lines >> v >> value;) visit(v, value);
  };
  std::uint64_t compared = 0;
  each_line("kron/bfs_level_rmat_s17.gz", [&](vertex_id v, std::uint64_t level) {
    const vertex_handle h = view.find(v);
    if (h == no_vertex) return;
    ++compared;
    EXPECT_TRUE(found.levels[h] == unreached || found.levels[h] == level) << v;
  });
  EXPECT_GT(compared, view.size() / 2);
  each_line("kron/cc_rmat_s17.gz", [&](vertex_id v, std::uint64_t label) {
    const vertex_handle h = view.find(v);
    EXPECT_TRUE(h == no_vertex || labels[h] == label) << v;
  });
}

}  // namespace
