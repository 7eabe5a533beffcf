// Searches in graphs that ranks have together: levels as in one process, and parents that do not depend on
// the number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>

#include "rank_graphs.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using perdure::errc;

// The smallest neighbour that is one level nearer to the source.
std::vector<vertex_id> parents_of(const csr_view& view, vertex_handle source,
                                  const std::vector<std::uint32_t>& levels) {
  std::vector<vertex_id> parents(view.size(), no_parent);
  parents[source] = source;
  for (vertex_handle v = 0; v < view.size(); ++v)
    for (const vertex_handle u : view.neighbours(v))
      if (v != source && levels[v] != unreached && levels[u] + 1 == levels[v])
        parents[v] = std::min<vertex_id>(parents[v], u);
  return parents;
}

void expect_bfs(const csr_view& view, vertex_handle source, const std::vector<std::uint64_t>& bounds,
                unsigned threads) {
  const bfs_result expected = bfs(view, source);
  const auto found = results_of_ranks(view, bounds, [&](const rank_graph& part, rank_exchange& own) {
    return bfs(part, own, source, threads);
  });
  ASSERT_EQ(joined(found, &rank_bfs_result::levels), expected.levels);
  ASSERT_EQ(joined(found, &rank_bfs_result::parents), parents_of(view, source, expected.levels));
  for (const rank_bfs_result& one : found) {
    EXPECT_EQ(one.summary.histogram, expected.summary.histogram);
    EXPECT_EQ(one.summary.reached, expected.summary.reached);
    EXPECT_EQ(one.summary.arcs, expected.summary.arcs);
  }
}

TEST(BfsOfRanks, IsThatOfOneProcess) {
  on_small_divided_graphs(11, 60, [](const csr_view& view, const auto& divide) {
    if (view.size() == 0) return;
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      expect_bfs(view, static_cast<vertex_handle>(view.size() / 3), bounds, threads);
    });
  });
}

TEST(BfsOfRanks, OfALargerGraphIsThatOfOneProcess) {
  const shuffled_graph graph = skewed_graph(6000, 24000, 5);
  for (const int ranks : {1, 2, 5})
    for (const unsigned threads : {1U, 2U}) expect_bfs(graph.view(), 17, even_bounds(6000, ranks), threads);
}

TEST(BfsOfRanks, SendsEachGhostOnce) {
  const shuffled_graph graph = skewed_graph(500, 3000, 6);
  run_thread_ranks(3, [&](rank_exchange& own) {
    const rank_rows rows = rows_of(graph.view(), even_bounds(500, 3), own.rank());
    const rank_bfs_result found = bfs(rank_graph::of(rows, own), own, 0);
    // Pairs of an own vertex that was reached and another rank that sees it.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v)
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
        std::uint64_t owner = 0;
        while (rows.bounds[owner + 1] <= rows.targets[i]) ++owner;
        if (found.levels[v] != unreached && owner != static_cast<std::uint64_t>(own.rank()))
          seen.emplace_back(v, owner);
      }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    EXPECT_EQ(own.bytes_sent(), 4 * seen.size());
  });
}

TEST(BfsOfRanks, OfWhatIsNotThereIsRefusedOnAllRanks) {
  const auto nothing = [](rank_rows&) {};
  expect_refused_on_all("different sources", nothing, [](const rank_graph& part, rank_exchange& own) {
    bfs(part, own, own.rank() == 2 ? 1 : 0);
  });
  expect_refused_on_all(
      "vertex number 6 is not in the graph", nothing,
      [](const rank_graph& part, rank_exchange& own) { bfs(part, own, 6); }, errc::not_found);
}

TEST(BfsOfRanks, IgnoresWeights) {
  run_thread_ranks(2, [](rank_exchange& own) {
    const vertex_id other = own.rank() == 0 ? 1 : 0;
    const rank_rows rows{
        .bounds = {0, 1, 2}, .offsets = {0, 1}, .targets = {other}, .weights = {-1}, .ids = {}};
    EXPECT_EQ(bfs(rank_graph::of(rows, own), own, 0).levels.front(), own.rank() == 0 ? 0u : 1u);
  });
}

}  // namespace
