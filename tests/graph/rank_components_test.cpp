// Components of graphs that ranks have together: the same as in one process, in few rounds.
#include <gtest/gtest.h>

#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ranks/rank_components.hpp>

#include "rank_graphs.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

void expect_components(const csr_view& view, const std::vector<std::uint64_t>& bounds, unsigned threads) {
  const component_result expected = connected_components(view);
  const auto found = results_of_ranks(view, bounds, [&](const rank_graph& part, rank_exchange& own) {
    return connected_components(part, own, threads);
  });
  ASSERT_EQ(joined(found, &rank_component_result::labels),
            std::vector<vertex_id>(expected.labels.begin(), expected.labels.end()));
  for (const rank_component_result& one : found) {
    EXPECT_EQ(one.summary.components, expected.summary.components);
    EXPECT_EQ(one.summary.largest, expected.summary.largest);
  }
}

TEST(ComponentsOfRanks, AreThoseOfOneProcess) {
  on_small_divided_graphs(12, 60, [](const csr_view& view, const auto& divide) {
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      expect_components(view, bounds, threads);
    });
  });
}

TEST(ComponentsOfRanks, OfALargerGraphAreThoseOfOneProcess) {
  // Many components, and a large one.
  const shuffled_graph graph = skewed_graph(6000, 4000, 7);
  for (const int ranks : {1, 2, 5})
    for (const unsigned threads : {1U, 2U})
      expect_components(graph.view(), even_bounds(6000, ranks), threads);
}

TEST(ComponentsOfRanks, TakeFewRoundsOnPaths) {
  for (const std::uint64_t vertices : {100, 1000, 10000}) {
    const shuffled_graph path = random_path(vertices, 3);
    const std::vector<std::uint64_t> bounds = even_bounds(vertices, 5);
    run_thread_ranks(5, [&](rank_exchange& threads) {
      counted_exchange own(threads);
      const rank_component_result found = connected_components(part_of(path.view(), bounds, own), own);
      EXPECT_EQ(found.labels, std::vector<vertex_id>(found.labels.size(), 0));
      EXPECT_EQ(found.summary.components, 1u);
      EXPECT_EQ(found.summary.largest, vertices);
      unsigned logarithm = 0;
      while ((std::uint64_t{1} << logarithm) < vertices) ++logarithm;
      EXPECT_LE(own.exchanges(), 8 * logarithm);
      EXPECT_LE(own.reductions(), 8 * logarithm);
    });
  }
}

}  // namespace
