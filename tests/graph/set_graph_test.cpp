// Graphs of ranks as arrays of sets of stores: stored by some ranks, opened by any number.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_sets.hpp"
#include "support/errors.hpp"
#include "support/small_store.hpp"

namespace {
using namespace perdure::graph;
using perdure::array_store;
using perdure::errc;
using perdure::fails_with;
using perdure::manager;
using perdure::set_reader;
using perdure::untyped_arrays;
using perdure::detail::store_set;
using perdure::test::expect_equal;
using perdure::test::random_edges;
using perdure::test::random_edges_of;
using perdure::test::SetGraph;
using perdure::test::weighted_edges;
using perdure::test::weighted_source;

TEST_F(SetGraph, IsOpenedByAnyNumberOfRanksAsThoseWouldHaveBuiltIt) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 8; ++round) {
    const weighted_edges edges = random_edges(random, 1 + random() % 60);
    const int stored_by = 1 + round % 4;
    std::filesystem::remove_all(path());
    store(stored_by, edges, round % 2 == 0);
    const set_graph graph = stored();
    EXPECT_EQ(graph.parts(), stored_by);
    for (int ranks = 1; ranks <= 5; ++ranks) {
      std::vector<rank_graph> built(static_cast<std::size_t>(ranks));
      run_thread_ranks(ranks, [&](rank_exchange& own) {
        weighted_source source(own.rank() == ranks - 1 ? edges : weighted_edges{});
        built[static_cast<std::size_t>(own.rank())] =
            build_rank_graph(source, own, {.with_weights = round % 2 == 0});
      });
      for (int rank = 0; rank < ranks; ++rank) {
        SCOPED_TRACE(std::to_string(rank) + " of " + std::to_string(ranks) + ", stored by " +
                     std::to_string(stored_by));
        expect_equal(graph.part(rank, ranks), built[static_cast<std::size_t>(rank)]);
      }
    }
  }
}

TEST_F(SetGraph, IsViewedInPlaceByAsManyRanksAsStoredIt) {
  store(3, random_edges_of(60), true);
  const set_graph graph = stored();
  for (int rank = 0; rank < 3; ++rank) {
    const rank_graph one = graph.part(rank, 3);
    const rank_graph same = graph.part(rank, 3);
    EXPECT_EQ(one.offsets().data(), same.offsets().data());
    EXPECT_EQ(one.targets().data(), same.targets().data());
    EXPECT_EQ(one.weights().data(), same.weights().data());
    EXPECT_EQ(one.ghosts().data(), same.ghosts().data());
    EXPECT_EQ(one.plan().seen.data(), same.plan().seen.data());
  }
  EXPECT_NE(graph.part(0, 2).targets().data(), graph.part(0, 2).targets().data());
}

// The pager brings rows in as they are asked for.
TEST_F(SetGraph, LargerThanABudgetHasTheSameCommunities) {
  store(2, random_edges_of(1500), false);
  const auto communities_within = [&](std::size_t budget) {
    perdure::store_options options;
    if (budget != 0) {
      options.backing = perdure::backing::paged;
      options.memory_budget = budget;
    }
    const set_graph graph(set_reader(path(), options).arrays().untyped());
    std::vector<std::vector<vertex_id>> labels(2);
    run_thread_ranks(2, [&](rank_exchange& own) {
      labels[static_cast<std::size_t>(own.rank())] =
          louvain(graph.part(own.rank(), 2), own,
                  {.starts = 1, .max_levels = 0, .reads_rows_once = budget != 0})
              .labels;
    });
    return labels;
  };
  EXPECT_EQ(communities_within(std::size_t{1} << 16), communities_within(0));
}

TEST_F(SetGraph, KeepsTheOrderOfItsVertices) {
  const weighted_edges edges = random_edges_of(40);
  store(3, edges, true, "by id");
  store(3, edges, true, "by level", rank_order::rcm);
  EXPECT_EQ(stored("by id").order(), rank_order::none);
  const set_graph graph = stored("by level");
  EXPECT_EQ(graph.order(), rank_order::rcm);
  for (int ranks = 1; ranks <= 4; ++ranks)
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      weighted_source source(own.rank() == 0 ? edges : weighted_edges{});
      const rank_graph expected =
          ordered(build_rank_graph(source, own, {.with_weights = true}), rank_order::rcm, own);
      expect_equal(graph.part(own.rank(), ranks), expected);
    });
}

TEST_F(SetGraph, IsFoundByItsName) {
  store(2, {{{1, 2}, 0}}, false, "first");
  EXPECT_EQ(stored().name(), "first");
  store(2, {{{1, 2}, 0}, {{2, 3}, 0}}, false, "a/second");
  EXPECT_EQ(graphs_of_ranks_in(*set_reader(path()).arrays().untyped()),
            (std::vector<std::string>{"a/second", "first"}));
  EXPECT_EQ(stored("a/second").arcs(), 4U);
  EXPECT_EQ(stored("first").vertices(), 2U);
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "several graphs (a/second, first): name one", [&] { stored(); }));
  EXPECT_TRUE(fails_with(errc::not_found, "no graph named \"third\"", [&] { stored("third"); }));
}

TEST_F(SetGraph, IsNotStoredOverAnother) {
  store(3, {{{1, 2}, 0}}, false);
  run_thread_ranks(3, [&](rank_exchange& own) {
    weighted_source source({});
    const rank_graph part = build_rank_graph(source, own);
    const auto set = open(own, store_set::mode::open);
    EXPECT_TRUE(fails_with(errc::already_exists, "choose another name",
                           [&] { store_rank_graph(*set->arrays(), "graph", part, own); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is no name",
                           [&] { store_rank_graph(*set->arrays(), "/x/", part, own); }));
    set->close();
  });
  EXPECT_EQ(stored().vertices(), 2U);
}

TEST_F(SetGraph, MayBeEmpty) {
  store(3, {}, false);
  EXPECT_EQ(stored().vertices(), 0U);
  EXPECT_EQ(stored().part(1, 2).size(), 0U);
  EXPECT_EQ(stored().part(1, 3).size(), 0U);
}

// The arrays as one process stores them, so that they can be wrong.
TEST_F(SetGraph, ThatContradictsItselfIsRefused) {
  const auto make = [&](const std::string& wrong, const std::vector<std::uint64_t>& numbers) {
    std::filesystem::remove_all(path());
    array_store arrays(perdure::create_only, path(), perdure::small_store());
    const auto put = [&](const std::string& what, const std::vector<std::uint64_t>& right) {
      arrays.store("graph/" + what, what == wrong ? numbers : right);
    };
    const auto put_narrow = [&](const std::string& what, std::vector<std::uint32_t> right) {
      if (what == wrong) right.assign(numbers.begin(), numbers.end());
      arrays.store("graph/" + what, right);
    };
    const auto put_table = [&](const std::string& what, std::uint64_t columns,
                               std::vector<std::uint64_t> right) {
      if (what == wrong) right = numbers;
      arrays.store("graph/" + what, perdure::array_view<const std::uint64_t, 2>(
                                        right.data(), {right.size() / columns, columns}));
    };
    // The path 0 - 1 - 2, whose last vertex is rank 1's.
    put("bounds", {0, 2, 3});
    put_table("part_bounds", 5, {0, 0, 0, 0, 0, 3, 1, 1, 1, 1, 4, 2, 2, 2, 2});
    put("is_simple", {1, 1});
    put("offsets", {0, 1, 3, 0, 1});
    put_narrow("neighbours", {1, 0, 2, 1});
    put("ghosts", {2, 1});
    put("ghost_offsets", {0, 1, 0, 1});
    put_narrow("ghost_rows", {1, 0});
    put_narrow("seen", {1, 0});
    put_table("partners", 2, {1, 1, 0, 1});
    arrays.array("graph/bounds")
        .set_attribute("graph of ranks", wrong == "format" ? numbers.front() : std::uint64_t{1});
    if (wrong == "order") arrays.array("graph/bounds").set_attribute("order", "spiral");
    arrays.checkpoint();
    const set_graph graph(arrays.untyped());
    for (int parts = 1; parts <= 2; ++parts)
      for (int part = 0; part < parts; ++part) graph.part(part, parts);
  };
  make("nothing", {});
  struct wrong_array {
    const char* name;
    std::vector<std::uint64_t> numbers;
    const char* words;
  };
  const std::vector<wrong_array> all{
      {"bounds", {1, 2, 3}, "not in order"},
      {"bounds", {0, 3, 2}, "not in order"},
      {"bounds", {0}, "not those of parts"},
      {"bounds", {0, 1'000'000'000'000, 1'000'000'000'001}, "more vertices than it can number"},
      {"bounds", {0, 2, 30}, "another number of elements"},
      {"part_bounds", {0, 0, 0, 0, 0, 4, 1, 1, 1, 1}, "different numbers of parts"},
      {"part_bounds", {0, 0, 0, 0, 0, 3, 1, 1, 1, 1, 40, 2, 2, 2, 2}, "another number of elements"},
      {"part_bounds", {0, 0, 0, 0, 0, 3, 1, 1, 1, 1, 4, 3, 2, 2, 2}, "another number of elements"},
      {"part_bounds", {0, 0, 0, 0, 0, 3, 4, 1, 1, 1, 4, 2, 2, 2, 2}, "not in order"},
      {"is_simple", {1, 1, 1}, "another number of elements"},
      {"offsets", {0, 2, 1, 0, 1}, "rows overlap"},
      {"offsets", {0, 1, 4, 0, 1}, "outside of a part's arcs"},
      {"offsets", {0, 1, 3, 1, 1}, "rows overlap"},
      {"neighbours", {1, 3, 2, 1}, "leads to no vertex"},
      {"ghosts", {3, 1}, "a ghost is no vertex"},
      {"ghosts", {1, 1}, "a ghost is a vertex of the rank itself"},
      {"ghost_offsets", {0, 2, 0, 1}, "rows overlap"},
      {"ghost_rows", {2, 0}, "a ghost is next to no vertex"},
      {"seen", {1, 1}, "sees a vertex that there is not"},
      {"partners", {2, 1, 0, 1}, "not ranks of the graph"},
      {"partners", {0, 1, 0, 1}, "not ranks of the graph"},
      {"partners", {1, 2, 0, 1}, "see vertices that there are not"},
  };
  for (const wrong_array& one : all)
    EXPECT_TRUE(fails_with(errc::damaged, one.words, [&] { make(one.name, one.numbers); })) << one.name;
  EXPECT_TRUE(fails_with(errc::too_new, "has format 2", [&] { make("format", {2}); }));
  EXPECT_TRUE(fails_with(errc::too_new, "does not know: spiral", [&] { make("order", {}); }));
  EXPECT_TRUE(fails_with(errc::damaged, "no known format", [&] { make("format", {0}); }));
}

}  // namespace
