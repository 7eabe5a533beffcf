// PageRank of graphs that ranks have together: that of one process, and the same bits for any number of
// ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>

#include "rank_graphs.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

struct whole_pagerank {
  std::vector<double> ranks;
  unsigned iterations;
  double change;
  bool operator==(const whole_pagerank&) const = default;
};

whole_pagerank pagerank_of(const csr_view& view, const std::vector<std::uint64_t>& bounds,
                           const pagerank_options& options) {
  const auto found = results_of_ranks(
      view, bounds, [&](const rank_graph& part, rank_exchange& own) { return pagerank(part, own, options); });
  for (const pagerank_result& one : found) {
    EXPECT_EQ(one.iterations, found.front().iterations);
    EXPECT_EQ(one.change, found.front().change);
  }
  return {joined(found, &pagerank_result::ranks), found.front().iterations, found.front().change};
}

void expect_near(const csr_view& view, const whole_pagerank& found, const pagerank_options& options) {
  const pagerank_result expected = pagerank(view, options);
  ASSERT_EQ(found.ranks.size(), expected.ranks.size());
  for (std::size_t v = 0; v < found.ranks.size(); ++v)
    ASSERT_NEAR(found.ranks[v], expected.ranks[v], 1e-9) << v;
  EXPECT_EQ(verify_pagerank(view, {found.ranks, found.iterations, found.change, 1e-12}, options.damping),
            std::nullopt);
}

TEST(PagerankOfRanks, IsThatOfOneProcess) {
  int round = 0;
  on_small_divided_graphs(13, 60, [&](const csr_view& view, const auto& divide) {
    ++round;
    pagerank_options options{.damping = round % 6 == 0 ? 0.5 : 0.85,
                             .iterations = round % 4 == 0 ? 1000U : 10U};
    const whole_pagerank alone = pagerank_of(view, even_bounds(view.size(), 1), options);
    if (round % 4 == 0) expect_near(view, alone, options);
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      options.threads = threads;
      ASSERT_EQ(pagerank_of(view, bounds, options), alone);
    });
  });
}

TEST(PagerankOfRanks, OfALargerGraphIsTheSameBitForBit) {
  const shuffled_graph graph = skewed_graph(6000, 12000, 8);
  const whole_pagerank alone = pagerank_of(graph.view(), even_bounds(6000, 1), {});
  expect_near(graph.view(), alone, {});
  std::mt19937_64 random(9);
  for (const int ranks : {1, 2, 5})
    for (const unsigned threads : {1U, 2U})
      ASSERT_EQ(pagerank_of(graph.view(), random_bounds(6000, ranks, random), {.threads = threads}), alone);
}

TEST(PagerankOfRanks, DoesNotDependOnTheOrderOfRows) {
  std::mt19937_64 random(10);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (int i = 0; i < 3000; ++i) edges.emplace_back(random() % 300, random() % 300);
  const shuffled_graph first(300, edges, 1);
  const shuffled_graph second(300, edges, 2);
  EXPECT_EQ(pagerank_of(first.view(), even_bounds(300, 2), {}),
            pagerank_of(second.view(), even_bounds(300, 3), {}));
}

TEST(PagerankOfRanks, EndsAfterTheGivenIterations) {
  const shuffled_graph graph = skewed_graph(100, 200, 4);
  const auto bounds = even_bounds(100, 3);
  EXPECT_EQ(pagerank_of(graph.view(), bounds, {.tolerance = 0, .iterations = 7}).iterations, 7u);
  const whole_pagerank none = pagerank_of(graph.view(), bounds, {.iterations = 0});
  EXPECT_EQ(none.ranks, std::vector<double>(100, 0.01));
  EXPECT_EQ(none.iterations, 0u);
  const whole_pagerank rough = pagerank_of(graph.view(), bounds, {.tolerance = 1e-3});
  EXPECT_LE(rough.change, 1e-3);
  EXPECT_LT(rough.iterations, pagerank_of(graph.view(), bounds, {}).iterations);
}

TEST(PagerankOfRanks, WithWrongOptionsIsRefusedOnAllRanks) {
  const auto nothing = [](rank_rows&) {};
  const auto with = [](const pagerank_options& options) {
    return [options](const rank_graph& part, rank_exchange& own) { pagerank(part, own, options); };
  };
  expect_refused_on_all("damping", nothing, with({.damping = 1}));
  expect_refused_on_all("tolerance", nothing, with({.tolerance = std::numeric_limits<double>::quiet_NaN()}));
  for (const pagerank_options other : {pagerank_options{.damping = 0.8}, pagerank_options{.tolerance = 1e-9},
                                       pagerank_options{.iterations = 3}})
    expect_refused_on_all("different options of PageRank", nothing,
                          [&](const rank_graph& part, rank_exchange& own) {
                            pagerank(part, own, own.rank() == 2 ? other : pagerank_options());
                          });
}

}  // namespace
