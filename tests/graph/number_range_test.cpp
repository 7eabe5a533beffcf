// Answers where numbers come to an end: they are right, or errors, and verifiers know that.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/betweenness.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/shortest_path.hpp>
#include <perdure/graph/sssp.hpp>
#include <utility>
#include <vector>

#include "small_graphs.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using perdure::errc;
using perdure::fails_with;

std::unique_ptr<memory_csr> graph_of(std::vector<std::pair<edge, double>> edges,
                                     direction kind = direction::directed) {
  auto graph = std::make_unique<memory_csr>();
  weighted_source source(std::move(edges));
  build_csr(*graph, source, {.kind = kind, .with_weights = true});
  return graph;
}

TEST(NegativeWeights, AreRefusedThoughBehindTheEndOfThePath) {
  const auto graph = graph_of({{{1, 2}, 4}, {{1, 3}, 5}, {{3, 2}, -3}});
  const csr_view view = graph->view();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs -3", [&] { shortest_path(view, 0, 1); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs -3", [&] { sssp(view, 0); }));
  EXPECT_TRUE(verify_path(view, 0, 1, {{0, 1}, 4}));
  EXPECT_TRUE(verify_sssp(view, 0, {0, 4, 5}));
}

TEST(Distances, BeyondTheLargestNumberAreErrors) {
  const auto graph = graph_of({{{1, 2}, 1e308}, {{2, 3}, 1e308}, {{3, 4}, 1}});
  const csr_view view = graph->view();
  for (const double delta : {0.0, 1.0, 1e308})
    EXPECT_TRUE(fails_with(errc::invalid_argument, "1.8e308", [&] { sssp(view, 0, {.delta = delta}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1.8e308", [&] { shortest_path(view, 0, 2); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1.8e308", [&] { shortest_path(view, 0, 3); }));
  constexpr double none = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(verify_sssp(view, 0, {0, 1e308, none, none}));
  EXPECT_TRUE(verify_path(view, 0, 3, {}));
  EXPECT_EQ(shortest_path(view, 0, 1).distance, 1e308);
}

TEST(Distances, OfOtherPathsMayBeLarger) {
  const auto graph = graph_of({{{1, 2}, 1e308}, {{2, 3}, 1e308}, {{1, 4}, 1}, {{4, 3}, 1}, {{5, 1}, 1}});
  const csr_view view = graph->view();
  const sssp_result found = sssp(view, 0, {.threads = 2});
  EXPECT_EQ(found.distances[2], 2);
  EXPECT_EQ(found.summary.reached, 4U);
  EXPECT_EQ(verify_sssp(view, 0, found.distances).value_or("right"), "right");
  EXPECT_EQ(shortest_path(view, 0, 2).distance, 2);
  EXPECT_EQ(verify_path(view, 0, 4, shortest_path(view, 0, 4)).value_or("right"), "right");
}

// Of 330 layers of ten vertices, each joined with all of the next, 10^329 paths lead from one end to the
// other.
TEST(Betweenness, CountsMorePathsThanThereAreNumbers) {
  constexpr unsigned layers = 330;
  std::vector<std::pair<edge, double>> edges;
  for (vertex_id v = 0; v < 10 * (layers - 1); ++v)
    for (vertex_id i = 0; i < 10; ++i) edges.push_back({{v, v / 10 * 10 + 10 + i}, 1});
  const auto graph = graph_of(std::move(edges));
  const csr_view view = graph->view();
  betweenness_result found = betweenness(view, {.threads = 2});
  for (std::size_t v = 0; v < view.size(); ++v) {
    const double layer = std::floor(static_cast<double>(v) / 10);
    const double expected = 10 * layer * (layers - 1 - layer);
    ASSERT_NEAR(found.scores[v], expected, 1e-9 * std::max(1.0, expected)) << v;
  }
  const betweenness_result sampled = betweenness(view, {.samples = 20});
  EXPECT_EQ(verify_betweenness(view, sampled).value_or("right"), "right");
  betweenness_result wrong = sampled;
  std::swap(wrong.scores[100], wrong.scores[1000]);  // with the same sum
  EXPECT_TRUE(verify_betweenness(view, wrong));
  wrong.scores[100] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(verify_betweenness(view, wrong));
}

TEST(PathCount, KeepsItsExponentBesides) {
  using perdure::graph::detail::path_count;
  path_count large(3);
  for (int i = 0; i < 5000; ++i) large += large;
  path_count more = large;
  more += path_count(1);
  EXPECT_EQ(more / large, 1);
  more += large;
  EXPECT_EQ(more / large, 2);
  EXPECT_EQ(path_count(1) / large, 0);
  EXPECT_EQ(path_count(0) / large, 0);
  path_count sum(1);
  sum += large;
  EXPECT_EQ(sum / large, 1);
  EXPECT_EQ(path_count(6) / path_count(4), 1.5);
}

TEST(Communities, OfWeightsWhoseSumIsNoNumberAreAnError) {
  const auto graph = graph_of({{{1, 2}, 1e308}, {{2, 3}, 1e308}}, direction::undirected);
  const csr_view view = graph->view();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1.8e308", [&] { louvain(view); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "1.8e308", [&] { label_propagation(view); }));
  community_result wrong;
  wrong.labels = {0, 0, 0};
  wrong.summary.communities = 1;
  EXPECT_TRUE(verify_communities(view, wrong));
}

}  // namespace
