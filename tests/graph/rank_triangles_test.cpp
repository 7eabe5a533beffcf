// Triangles of graphs that ranks have together.
#include <gtest/gtest.h>

#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/triangles.hpp>

#include "rank_graphs.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

void expect_triangles(const csr_view& view, const std::vector<std::uint64_t>& bounds, unsigned threads) {
  const auto found = results_of_ranks(view, bounds, [&](const rank_graph& part, rank_exchange& own) {
    return count_triangles(part, own, threads);
  });
  ASSERT_EQ(found, std::vector<std::uint64_t>(found.size(), count_triangles(view)));
}

TEST(TrianglesOfRanks, AreThoseOfOneProcess) {
  std::uint64_t all = 0;
  on_small_divided_graphs(14, 60, [&](const csr_view& view, const auto& divide) {
    all += count_triangles(view);
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      expect_triangles(view, bounds, threads);
    });
  });
  EXPECT_GT(all, 1000u);
}

TEST(TrianglesOfRanks, OfALargerGraphAreThoseOfOneProcess) {
  const shuffled_graph graph = skewed_graph(3000, 30000, 15);
  for (const int ranks : {1, 2, 5})
    for (const unsigned threads : {1U, 2U}) expect_triangles(graph.view(), even_bounds(3000, ranks), threads);
}

TEST(TrianglesOfRanks, AreCountedWithSmallMessages) {
  // All vertices are neighbours, so that most of what a rank has goes to others.
  constexpr std::uint64_t vertices = 400;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (std::uint64_t v = 0; v < vertices; ++v)
    for (std::uint64_t u = 0; u < v; ++u) edges.emplace_back(u, v);
  const shuffled_graph graph(vertices, edges, 1);
  const std::vector<std::uint64_t> bounds = even_bounds(vertices, 2);
  run_thread_ranks(2, [&](rank_exchange& threads) {
    counted_exchange own(threads);
    EXPECT_EQ(count_triangles(part_of(graph.view(), bounds, own), own),
              vertices * (vertices - 1) * (vertices - 2) / 6);
    EXPECT_LE(own.largest_message(), 65536 + 8 * (vertices + 1));
    // All rows of rank 0 have vertices of rank 1.
    EXPECT_EQ(own.bytes_sent() > 3 * 65536u, own.rank() == 0);
  });
}

}  // namespace
