// Rows that a program gives, as its ranks' parts of a graph.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <perdure/graph/ranks/rank_statistics.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <random>
#include <string>
#include <vector>

#include "rank_graphs.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;
using perdure::test::even_bounds;
using perdure::test::expect_refused_on_all;
using perdure::test::rows_of;
using perdure::test::skewed_graph;

TEST(RowsOfRanks, ThatAreWrongAreRefusedOnAllRanks) {
  const auto refused = [](const std::string& words, const auto& spoil) {
    expect_refused_on_all(words, spoil, [](const rank_graph&, rank_exchange&) {});
  };
  refused("the rows of rank 1 need 4 bounds", [](rank_rows& rows) { rows.bounds.pop_back(); });
  refused("the rows of rank 1 need an offset", [](rank_rows& rows) { rows.offsets.back() = 7; });
  refused("rank 1 have 2 arcs and 1 weights", [](rank_rows& rows) { rows.weights.pop_back(); });
  refused("rank 1 name vertex 6 of 6", [](rank_rows& rows) { rows.targets.back() = 6; });
  refused("rank 1 have 2 vertices and 3 ids", [](rank_rows& rows) { rows.ids = {1, 2, 3}; });
  refused("different bounds", [](rank_rows& rows) { rows.bounds.back() = 7; });
  refused("not symmetric", [](rank_rows& rows) { rows.targets = {3, 1}; });
  refused("not symmetric", [](rank_rows& rows) { rows.targets = {5, 3}; });
}

TEST(RowsOfRanks, NeedTheSameWeightsAtBothEnds) {
  run_thread_ranks(2, [](rank_exchange& own) {
    const rank_rows rows{.bounds = {0, 1, 2},
                         .offsets = {0, 1},
                         .targets = {own.rank() == 0 ? vertex_id{1} : vertex_id{0}},
                         .weights = {1.0 + own.rank()},
                         .ids = {}};
    EXPECT_TRUE(
        fails_with(errc::invalid_argument, "with the same weight", [&] { rank_graph::of(rows, own); }));
  });
}

// What a part says of itself is what its rows are.
TEST(RowsOfRanks, AreOrderedByNumbersInTheWholeGraph) {
  const auto graph = skewed_graph(300, 2000, 8);
  run_thread_ranks(3, [&](rank_exchange& own) {
    const rank_rows rows = rows_of(graph.view(), even_bounds(300, 3), own.rank());
    const rank_graph part = rank_graph::of(rows, own);
    ASSERT_EQ(part.size(), 100U);
    EXPECT_EQ(part.places(), part.size() + part.ghosts().size());
    EXPECT_FALSE(part.is_simple());
    for (vertex_handle v = 0; v < part.size(); ++v) {
      std::vector<vertex_id> expected(
          rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]),
          rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + 1]));
      std::sort(expected.begin(), expected.end());
      std::vector<vertex_id> found;
      for (const vertex_handle u : part.neighbours(v)) found.push_back(part.number(u));
      EXPECT_EQ(found, expected);
    }
  });
}

TEST(RowsOfRanks, AreSimpleWithoutLoopsAndRepetitions) {
  const auto is_simple = [](std::vector<std::uint64_t> offsets, std::vector<vertex_id> targets) {
    lone_exchange alone;
    return rank_graph::of({.bounds = {0, offsets.size() - 1},
                           .offsets = std::move(offsets),
                           .targets = std::move(targets),
                           .weights = {},
                           .ids = {}},
                          alone)
        .is_simple();
  };
  EXPECT_TRUE(is_simple({0, 1, 3, 4}, {1, 2, 0, 1}));
  EXPECT_FALSE(is_simple({0, 1, 2}, {0, 1}));
  EXPECT_FALSE(is_simple({0, 2, 4}, {1, 1, 0, 0}));
}

TEST(PartsOfOtherRanks, AreRefusedByAllAlgorithms) {
  run_thread_ranks(2, [](rank_exchange& own) {
    const rank_graph lone;
    const std::vector<std::function<void()>> all{
        [&] { bfs(lone, own, 0); },          [&] { connected_components(lone, own); },
        [&] { count_triangles(lone, own); }, [&] { louvain(lone, own); },
        [&] { pagerank(lone, own); },        [&] { statistics(lone, own); }};
    for (const auto& one : all)
      EXPECT_TRUE(fails_with(errc::invalid_argument, "part 0 of 1, and this is rank", one));
  });
}

}  // namespace
