// Graphs in sets of stores that get more edges, and communities that are kept beside them by id.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/ranks/rank_edges.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph_sets.hpp"
#include "support/errors.hpp"

namespace perdure::test {
namespace {

using weighted_ends = std::vector<std::tuple<graph::vertex_id, graph::vertex_id, double>>;

/// All arcs of a graph by ids, sorted, and a loop without a weight for each vertex.
weighted_ends ends_in(const graph::csr_view& view) {
  weighted_ends ends;
  for (graph::vertex_handle v = 0; v < view.size(); ++v) {
    ends.emplace_back(view.id(v), view.id(v), -1);
    for (std::size_t i = 0; i < view.neighbours(v).size(); ++i)
      ends.emplace_back(view.id(v), view.id(view.neighbours(v)[i]),
                        view.has_weights() ? view.weights(v)[i] : 1);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

weighted_edges drawn_edges(std::mt19937_64& random, std::uint64_t vertices, std::uint64_t factor) {
  weighted_edges edges;
  for (std::uint64_t i = random() % (3 * vertices); i > 0; --i)
    edges.push_back({{random() % vertices * factor, random() % vertices * factor},
                     static_cast<double>(random() % 100) / 8});
  return edges;
}

graph::rank_graph built(const weighted_edges& edges, graph::rank_exchange& own, bool with_weights) {
  weighted_source source(own.rank() == 0 ? edges : weighted_edges{});
  return graph::build_rank_graph(source, own, {.with_weights = with_weights});
}

TEST(RankEdges, MakeTheSameGraph) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 24; ++round) {
    const std::uint64_t vertices = 1 + random() % 60;
    weighted_edges edges = drawn_edges(random, vertices, round % 3 == 0 ? 1'000'000'007 : 1);
    // A vertex whose only edge is a loop.
    if (round % 2 == 0) edges.push_back({{7, 7}, 3});
    const bool with_weights = round % 4 < 2;
    graph::run_thread_ranks(1 + round % 5, [&](graph::rank_exchange& own) {
      const graph::rank_graph before = built(edges, own, with_weights);
      graph::rank_edges again(before, own);
      const graph::rank_graph after =
          graph::build_rank_graph(again, own, {.with_weights = with_weights, .threads = 2});
      EXPECT_EQ(after.bounds(), before.bounds());
      EXPECT_TRUE(std::ranges::equal(after.offsets(), before.offsets()));
      EXPECT_TRUE(std::ranges::equal(after.targets(), before.targets()));
      EXPECT_TRUE(std::ranges::equal(after.weights(), before.weights()));
      EXPECT_TRUE(std::ranges::equal(after.ids(), before.ids()));
    });
  }
}

TEST(RankEdges, HaveVerticesWithoutEdges) {
  graph::run_thread_ranks(3, [&](graph::rank_exchange& own) {
    const auto rank = static_cast<graph::vertex_id>(own.rank());
    const graph::rank_graph alone = graph::rank_graph::of({.bounds = {0, 2, 4, 6},
                                                           .offsets = {0, 0, 0},
                                                           .targets = {},
                                                           .weights = {},
                                                           .ids = {10 * rank, 10 * rank + 5}},
                                                          own);
    graph::rank_edges edges(alone, own);
    const graph::rank_graph made = graph::build_rank_graph(edges, own);
    EXPECT_EQ(made.vertices(), 6U);
    EXPECT_EQ(made.arcs(), 0U);
  });
}

class GrownSet : public SetGraph {
 protected:
  void store_result(int ranks) const {
    graph::run_thread_ranks(ranks, [&](graph::rank_exchange& own) {
      const auto set = open(own, detail::store_set::mode::open);
      if (own.rank() == 0) array_store(set->arrays()).store("graph/result", std::vector<int>{1, 2, 3});
      set->checkpoint({});
      set->close();
    });
  }
  /// Puts the graph with these edges in the place of the stored one; without a checkpoint if not `for_good`.
  void grow(int ranks, const weighted_edges& more, bool with_weights, bool for_good) const {
    graph::run_thread_ranks(ranks, [&](graph::rank_exchange& own) {
      const auto set = open(own, detail::store_set::mode::open);
      const graph::set_graph found(set->arrays(), "graph");
      std::vector<graph::graph_input> both(2);
      both[0].edges =
          std::make_unique<weighted_source>(own.rank() == own.size() - 1 ? more : weighted_edges{});
      both[1].edges = std::make_unique<graph::rank_edges>(found.part(own.rank(), own.size()), own);
      graph::joined_inputs all(both);
      const graph::rank_graph made = graph::build_rank_graph(all, own, {.with_weights = with_weights});
      graph::replace_rank_graph(*set->arrays(), found, made, own);
      if (for_good) {
        set->checkpoint({});
        set->close();
      } else {
        set->discard();
      }
    });
  }
  weighted_ends stored_ends() const { return ends_in(graph::whole_graph(stored().part(0, 1)).view()); }
};

weighted_ends ends_of(const weighted_edges& edges, bool with_weights) {
  weighted_ends ends;
  graph::run_thread_ranks(1, [&](graph::rank_exchange& own) {
    ends = ends_in(graph::whole_graph(built(edges, own, with_weights)).view());
  });
  return ends;
}

TEST_F(GrownSet, HasOldAndNewEdgesAndEverythingElse) {
  std::mt19937_64 random(41);
  for (int round = 0; round < 6; ++round) {
    std::filesystem::remove_all(path());
    const int ranks = 1 + round % 4;
    const bool with_weights = round % 2 == 0;
    const std::uint64_t factor = round % 3 == 0 ? 1 : 1'000'000'007;
    weighted_edges edges = drawn_edges(random, 20, factor);
    // New vertices before and between the old ones, and edges that were there.
    weighted_edges more = drawn_edges(random, 30, 2);
    if (!edges.empty()) more.push_back(edges.front());
    store(ranks, edges, with_weights);
    store_result(ranks);
    const weighted_ends before = ends_of(edges, with_weights);
    grow(ranks, more, with_weights, false);
    EXPECT_EQ(stored_ends(), before);
    grow(ranks, more, with_weights, true);
    edges.insert(edges.end(), more.begin(), more.end());
    EXPECT_EQ(stored_ends(), ends_of(edges, with_weights));
    EXPECT_EQ(set_reader(path()).arrays().load<std::vector<int>>("graph/result"),
              (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(stored().parts(), ranks);
  }
}

TEST_F(GrownSet, KeepsLevelsAndCommunitiesForAnyNumberOfRanks) {
  struct line {
    std::uint64_t id;
    std::uint64_t community;
  };
  struct other_line {
    std::uint64_t id;
    std::uint64_t level;
  };
  const std::vector<line> lines{{3, 3}, {9, 3}, {4, 4}, {8, 4}, {5, 5}};
  graph::run_thread_ranks(2, [&](graph::rank_exchange& own) {
    const auto set = open(own, detail::store_set::mode::create);
    const std::size_t first = own.rank() == 0 ? 0 : 2;
    const std::size_t count = own.rank() == 0 ? 2 : 3;
    std::vector<graph::vertex_id> fine;
    std::vector<graph::vertex_id> coarse;
    for (std::size_t i = first; i < first + count; ++i) {
      fine.push_back(lines[i].id);
      coarse.push_back(lines[i].community);
    }
    graph::store_levels(*set->arrays(), "found.levels", {{fine, 5, 0.25}, {coarse, 3, 0.5}}, first, 5);
    if (own.rank() == 0) {
      array_store arrays(set->arrays());
      arrays.store("found", lines);
      arrays.store("numbers", std::vector<std::uint64_t>{1, 2});
      arrays.store("levels", std::vector<other_line>{{1, 2}});
    }
    set->checkpoint({});
    set->close();
  });
  const array_store arrays = set_reader(path()).arrays();
  const auto stored = arrays.load<std::vector<std::uint64_t>>("found.levels");
  EXPECT_EQ(stored, (std::vector<std::uint64_t>{3, 9, 4, 8, 5, 3, 3, 4, 4, 5}));
  EXPECT_EQ(arrays.info("found.levels").dims, (extents{2, 5}));
  EXPECT_EQ(arrays.array("found.levels").attribute<std::vector<double>>("modularity"),
            (std::vector<double>{0.25, 0.5}));
  for (int parts = 1; parts <= 7; ++parts) {
    graph::labels_by_id all;
    for (int part = 0; part < parts; ++part) {
      const graph::labels_by_id share = graph::stored_communities(*arrays.untyped(), "found", part, parts);
      all.ids.insert(all.ids.end(), share.ids.begin(), share.ids.end());
      all.labels.insert(all.labels.end(), share.labels.begin(), share.labels.end());
    }
    EXPECT_EQ(all.ids, (std::vector<std::uint64_t>{3, 9, 4, 8, 5}));
    EXPECT_EQ(all.labels, (std::vector<std::uint64_t>{3, 3, 4, 4, 5}));
  }
  for (const char* const wrong : {"numbers", "levels", "found.levels"})
    EXPECT_TRUE(fails_with(errc::wrong_type, std::string(wrong) + "\" holds no communities",
                           [&] { graph::stored_communities(*arrays.untyped(), wrong); }));
  EXPECT_TRUE(fails_with(errc::not_found, "nothing",
                         [&] { graph::stored_communities(*arrays.untyped(), "nothing"); }));
}

}  // namespace
}  // namespace perdure::test
