// Graphs of ranks as arrays of sets of stores: stored by some ranks, opened by any number.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "small_graphs.hpp"
#include "support/errors.hpp"
#include "support/exchange_group.hpp"
#include "support/scratch_test.hpp"
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
using perdure::test::exchange_group;
using perdure::test::weighted_source;
using weighted_edges = std::vector<std::pair<edge, double>>;

class SetGraph : public perdure::scratch_test {
 protected:
  SetGraph() : scratch_test(perdure::fast_directory()) {}

  std::unique_ptr<store_set> open(rank_exchange& own, store_set::mode how) const {
    perdure::detail::set_options options;
    options.store = perdure::small_store();
    return store_set::open(std::make_unique<exchange_group>(own), how, path(), options,
                           perdure::detail::opener_of_managers<perdure::relocatable>());
  }
  // Stores the graph of these edges by so many ranks. Returns its parts.
  std::vector<rank_graph> store(int ranks, const weighted_edges& edges, bool with_weights,
                                const std::string& name = "graph") const {
    std::vector<rank_graph> parts(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      weighted_source source(own.rank() == 0 ? edges : weighted_edges{});
      rank_graph& part = parts[static_cast<std::size_t>(own.rank())];
      part = build_rank_graph(source, own, {.with_weights = with_weights});
      const auto set = open(own, store_set::mode::open_or_create);
      store_rank_graph(*set->arrays(), name, part, own);
      set->checkpoint({});
      set->close();
    });
    return parts;
  }
  set_graph stored(const std::string& name = {}) const {
    return set_graph(set_reader(path()).arrays().untyped(), name);
  }
};

void expect_equal(const rank_graph& found, const rank_graph& expected) {
  EXPECT_EQ(found.rows.bounds, expected.rows.bounds);
  EXPECT_EQ(found.rows.offsets, expected.rows.offsets);
  EXPECT_EQ(found.rows.targets, expected.rows.targets);
  EXPECT_EQ(found.rows.weights, expected.rows.weights);
  EXPECT_EQ(found.ids, expected.ids);
}

weighted_edges random_edges(std::mt19937_64& random, std::uint64_t vertices) {
  const std::uint64_t factor = random() % 2 == 0 ? 1 : 1'000'000'007;
  weighted_edges edges;
  for (std::uint64_t i = random() % (5 * vertices); i > 0; --i)
    edges.push_back({{random() % vertices * factor, random() % vertices * factor},
                     static_cast<double>(random() % 100) / 8});
  return edges;
}

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
  EXPECT_EQ(stored().part(1, 2).rows.offsets, (std::vector<std::uint64_t>{0}));
}

// The arrays as one process stores them, so that they can be wrong.
TEST_F(SetGraph, ThatContradictsItselfIsRefused) {
  const auto values = [](const std::vector<std::uint64_t>& numbers) { return numbers; };
  const auto make = [&](const std::string& wrong, const std::vector<std::uint64_t>& numbers) {
    std::filesystem::remove_all(path());
    array_store arrays(perdure::create_only, path(), perdure::small_store());
    const auto put = [&](const std::string& what, const std::vector<std::uint64_t>& right) {
      arrays.store("graph/" + what, what == wrong ? numbers : right);
    };
    put("bounds", values({0, 2, 3}));
    put("arc_bounds", values({0, 2, 4}));
    put("ghost_bounds", values({0, 1, 2}));
    put("offsets", values({0, 1, 2, 0, 2}));
    const std::vector<std::uint32_t> right{1, 2, 1, 0};
    arrays.store("graph/neighbours",
                 wrong == "neighbours" ? std::vector<std::uint32_t>(numbers.begin(), numbers.end()) : right);
    put("ghosts", values({2, 1}));
    arrays.array("graph/bounds")
        .set_attribute("graph of ranks", wrong == "format" ? numbers.front() : std::uint64_t{1});
    arrays.checkpoint();
    const set_graph graph(arrays.untyped());
    graph.part(0, 1);
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
      {"arc_bounds", {0, 4}, "different numbers of parts"},
      {"arc_bounds", {0, 2, 40}, "another number of elements"},
      {"offsets", {0, 2, 1, 0, 2}, "rows overlap"},
      {"offsets", {0, 1, 3, 0, 2}, "outside of a part's arcs"},
      {"neighbours", {1, 3, 1, 0}, "leads to no vertex"},
      {"ghosts", {3, 1}, "a ghost is no vertex"},
      {"ghost_bounds", {0, 1, 3}, "another number of elements"},
  };
  for (const wrong_array& one : all)
    EXPECT_TRUE(fails_with(errc::damaged, one.words, [&] { make(one.name, one.numbers); })) << one.name;
  EXPECT_TRUE(fails_with(errc::too_new, "has format 2", [&] { make("format", {2}); }));
  EXPECT_TRUE(fails_with(errc::damaged, "no known format", [&] { make("format", {0}); }));
}

}  // namespace
