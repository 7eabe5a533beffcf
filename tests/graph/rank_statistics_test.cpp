// Sizes of graphs that ranks have together.
#include <gtest/gtest.h>

#include <perdure/graph/degrees.hpp>
#include <perdure/graph/ranks/rank_statistics.hpp>
#include <set>

#include "rank_graphs.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

// Looks at each arc of a rank.
rank_part part_of(const csr_view& view, const std::vector<std::uint64_t>& bounds, std::size_t rank) {
  rank_part part{.vertices = bounds[rank + 1] - bounds[rank]};
  std::set<vertex_id> ghosts;
  std::set<std::size_t> neighbours;
  for (std::uint64_t v = bounds[rank]; v < bounds[rank + 1]; ++v)
    for (const vertex_handle u : view.neighbours(static_cast<vertex_handle>(v))) {
      ++part.arcs;
      std::size_t owner = 0;
      while (bounds[owner + 1] <= u) ++owner;
      if (owner == rank) continue;
      ++part.cut_arcs;
      ghosts.insert(u);
      neighbours.insert(owner);
    }
  part.ghosts = ghosts.size();
  part.neighbours = neighbours.size();
  return part;
}

TEST(StatisticsOfRanks, AreThoseOfOneProcess) {
  on_small_divided_graphs(16, 60, [](const csr_view& view, const auto& divide) {
    const degree_result expected = degrees(view);
    const degree_distribution distribution(expected.out);
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned) {
      const auto found = results_of_ranks(
          view, bounds, [&](const rank_graph& part, rank_exchange& own) { return statistics(part, own); });
      for (const rank_statistics& one : found) {
        EXPECT_EQ(one.vertices, view.size());
        EXPECT_EQ(one.arcs, view.arcs());
        EXPECT_EQ(one.edges, expected.edges);
        EXPECT_EQ(one.self_loops, expected.self_loops);
        EXPECT_EQ(one.isolated, expected.isolated);
        EXPECT_EQ(one.degrees.vertices, distribution.vertices);
        EXPECT_EQ(one.degrees.smallest, distribution.smallest);
        EXPECT_EQ(one.degrees.largest, distribution.largest);
        EXPECT_EQ(one.degrees.mean, distribution.mean);
        EXPECT_EQ(one.degrees.median, distribution.median);
        ASSERT_EQ(one.parts.size(), bounds.size() - 1);
        for (std::size_t rank = 0; rank < one.parts.size(); ++rank) {
          const rank_part part = part_of(view, bounds, rank);
          EXPECT_EQ(one.parts[rank].vertices, part.vertices);
          EXPECT_EQ(one.parts[rank].arcs, part.arcs);
          EXPECT_EQ(one.parts[rank].cut_arcs, part.cut_arcs);
          EXPECT_EQ(one.parts[rank].ghosts, part.ghosts);
          EXPECT_EQ(one.parts[rank].neighbours, part.neighbours);
        }
      }
    });
  });
}

}  // namespace
