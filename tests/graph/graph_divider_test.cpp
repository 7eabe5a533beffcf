// Sets of stores with graphs that are divided among another number of ranks for good.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <perdure/array_store.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/graph/ranks/graph_divider.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "graph_sets.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/exchange_group.hpp"
#include "support/small_store.hpp"
#include "support/watched_calls.hpp"

namespace {
using namespace perdure::graph;
using perdure::array_store;
using perdure::errc;
using perdure::fails_with;
using perdure::set_reader;
using perdure::slab;
using perdure::untyped_arrays;
using perdure::test::exchange_group;
using perdure::test::expect_equal;
using perdure::test::random_edges;
using perdure::test::random_edges_of;
using perdure::test::weighted_edges;
using perdure::test::weighted_source;

using vertex_values = std::vector<std::uint64_t>;

class DividedGraph : public perdure::test::SetGraph {
 protected:
  /// Stores values of the vertices of "graph" where its ranks have them, as numbers that tell their place.
  void store_values(int ranks) const {
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      const auto set = open(own, perdure::detail::store_set::mode::open);
      untyped_arrays& arrays = *set->arrays();
      const set_graph graph(set->arrays(), "graph");
      const vertex_values bounds = graph.bounds_for(ranks);
      const auto rank = static_cast<std::size_t>(own.rank());
      const std::uint64_t n = graph.vertices();
      const slab mine{{bounds[rank]}, {bounds[rank + 1] - bounds[rank]}, {}};
      for (const char* const id : {"found", "other"}) {
        arrays.create(id, perdure::data_type_of<std::uint64_t>(), {n}, {});
        write(arrays, id, mine);
      }
      arrays.create("levels", perdure::data_type_of<std::uint64_t>(), {2, n}, {});
      write(arrays, "levels", {{0, mine.offset[0]}, {2, mine.count[0]}, {}});
      // One number more than there are vertices.
      arrays.create("more", perdure::data_type_of<std::uint64_t>(), {n + 1}, {});
      if (own.rank() == 0) write(arrays, "more", slab::whole({n + 1}));
      array_store named(set->arrays());
      if (own.rank() == 0)
        for (const char* const id : {"found", "levels", "more"})
          named.array(id).set_attribute("graph", std::string("graph"));
      if (own.rank() == ranks - 1) named.array("graph/offsets").set_attribute("note", 17);
      set->checkpoint({});
      set->close();
    });
  }
  static void write(untyped_arrays& arrays, const char* id, const slab& where) {
    vertex_values values;
    for (std::uint64_t i = 0; i < where.count[0]; ++i)
      for (std::uint64_t j = 0; j < (where.count.rank() == 1 ? 1 : where.count[1]); ++j)
        values.push_back(1000 * (where.offset[0] + i) + (where.count.rank() == 1 ? 0 : where.offset[1] + j));
    if (values.empty()) return;
    arrays.write(id, perdure::data_type_of<std::uint64_t>(), where,
                 perdure::const_untyped_view::row_major(values.data(), where.count, sizeof(std::uint64_t)));
  }
  /// Divides the set by one process, or by the ranks that it is divided among.
  void divide(int parts, bool by_ranks) const {
    if (!by_ranks) {
      graph_divider divider;
      perdure::repartition_set(path(), static_cast<std::uint32_t>(parts), perdure::small_store(), &divider);
      return;
    }
    perdure::detail::set_options options;
    options.store = perdure::small_store();
    run_thread_ranks(parts, [&](rank_exchange& own) {
      graph_divider divider(own);
      perdure::detail::store_set::repartition(std::make_unique<exchange_group>(own), path(), options, 0,
                                              &divider);
    });
  }
  /// The first and the last place that a part holds along a dimension, and whether it holds all between them.
  void expect_held(int part, const std::string& id, std::size_t dimension, std::uint64_t first,
                   std::uint64_t end) const {
    perdure::manager store = set_reader(path()).open_part(static_cast<std::uint32_t>(part));
    const array_store arrays(store);
    const perdure::array_info info = arrays.untyped()->info(id);
    std::uint64_t held = 0;
    for (const slab& one : arrays.untyped()->parts(id)) {
      EXPECT_GE(one.offset[dimension], first) << id;
      EXPECT_LE(one.offset[dimension] + one.count[dimension], end) << id;
      held += one.count.elements();
    }
    EXPECT_EQ(held, info.dims.elements() / std::max<std::uint64_t>(info.dims[dimension], 1) * (end - first))
        << id;
  }
  /// The graph is as if so many ranks had made it of these edges.
  void expect_made_by(int ranks, const weighted_edges& edges, bool has_weights,
                      const std::string& name) const {
    const set_graph found = stored(name);
    ASSERT_EQ(found.parts(), ranks);
    ASSERT_EQ(set_reader(path()).parts(), static_cast<std::uint32_t>(ranks));
    std::vector<rank_graph> built(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      weighted_source source(own.rank() == 0 ? edges : weighted_edges{});
      built[static_cast<std::size_t>(own.rank())] =
          build_rank_graph(source, own, {.with_weights = has_weights});
    });
    for (int rank = 0; rank < ranks; ++rank) {
      SCOPED_TRACE(std::to_string(rank) + " of " + std::to_string(ranks));
      const auto part = static_cast<std::size_t>(rank);
      const rank_graph one = found.part(rank, ranks);
      expect_equal(one, built[part]);
      expect_equal(found.part(rank, one.bounds()), one);
      const vertex_values& bounds = one.bounds();
      expect_held(rank, name + "/offsets", 0, bounds[part] + part, bounds[part + 1] + part + 1);
      if (found.has_ids()) expect_held(rank, name + "/ids", 0, bounds[part], bounds[part + 1]);
    }
  }
  /// The values are what `store_values` has stored, and lie where their vertices do.
  void expect_values(int ranks) const {
    const array_store arrays = set_reader(path()).arrays();
    const vertex_values bounds = stored("graph").bounds_for(ranks);
    vertex_values wanted(bounds.back());
    for (std::uint64_t v = 0; v < wanted.size(); ++v) wanted[v] = 1000 * v;
    EXPECT_EQ(arrays.load<vertex_values>("found"), wanted);
    EXPECT_EQ(arrays.load<vertex_values>("other"), wanted);
    EXPECT_EQ(arrays.load<vertex_values>("levels")[bounds.back()], 1000U);
    EXPECT_EQ(arrays.load<vertex_values>("more").back(), 1000 * bounds.back());
    EXPECT_EQ(arrays.array("found").attribute<std::string>("graph"), "graph");
    EXPECT_EQ(arrays.array("graph/offsets").attribute<int>("note"), 17);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto part = static_cast<std::size_t>(rank);
      expect_held(rank, "found", 0, bounds[part], bounds[part + 1]);
      expect_held(rank, "levels", 1, bounds[part], bounds[part + 1]);
    }
  }
};

TEST_F(DividedGraph, IsAsIfTheNewRanksHadMadeIt) {
  std::mt19937_64 random(11);
  struct division {
    int before;
    int after;
    bool by_ranks;
  };
  for (const auto& [before, after, by_ranks] : std::vector<division>{
           {4, 2, false}, {2, 5, false}, {3, 1, true}, {1, 4, true}, {2, 3, true}, {3, 3, false}}) {
    SCOPED_TRACE(std::to_string(before) + " to " + std::to_string(after));
    std::filesystem::remove_all(path());
    const weighted_edges edges = random_edges(random, 10 + random() % 60);
    const weighted_edges others = random_edges_of(7);
    store(before, edges, true);
    store(before, others, false, "a/second");
    store_values(before);
    divide(after, by_ranks);
    expect_made_by(after, edges, true, "graph");
    expect_made_by(after, others, false, "a/second");

    expect_values(after);
    EXPECT_TRUE(perdure::verify_set(path()).whole());
    // Its ranks open it, and store beside it.
    store(after, others, false, "third");
  }
}

TEST_F(DividedGraph, KeepsTheOrderOfItsVertices) {
  store(3, random_edges_of(40), true, "graph", rank_order::rcm);
  const rank_graph parts[] = {stored().part(0, 2), stored().part(1, 2)};
  divide(2, false);
  EXPECT_EQ(stored().order(), rank_order::rcm);
  for (const rank_graph& part : parts) expect_equal(stored().part(part.rank(), 2), part);
}

TEST_F(DividedGraph, MayBeEmpty) {
  store(2, {}, false);
  store_values(2);
  divide(3, false);
  expect_made_by(3, {}, false, "graph");
}

TEST_F(DividedGraph, IsOneAfterADivisionThatKnowsNothingOfGraphs) {
  const weighted_edges edges = random_edges_of(50);
  const std::vector<rank_graph> parts = store(3, edges, true);
  store_values(3);
  perdure::repartition_set(path(), 2, perdure::small_store());
  EXPECT_EQ(stored().parts(), 3);
  for (int rank = 0; rank < 3; ++rank)
    expect_equal(stored().part(rank, 3), parts[static_cast<std::size_t>(rank)]);
  divide(2, true);
  expect_made_by(2, edges, true, "graph");
}

TEST_F(DividedGraph, StaysAsItIsWhereItContradictsItself) {
  const std::vector<rank_graph> parts = store(2, random_edges_of(20), false);
  run_thread_ranks(2, [&](rank_exchange& own) {
    const auto set = open(own, perdure::detail::store_set::mode::open);
    array_store arrays(set->arrays());
    const std::uint64_t wrong = 1'000'000;
    if (own.rank() == 1)
      arrays.store("graph/ghosts", perdure::array_view<const std::uint64_t, 1>(&wrong, {1}),
                   {parts[0].ghosts().size()});
    set->checkpoint({});
    set->close();
  });
  for (const bool by_ranks : {false, true}) {
    try {
      divide(3, by_ranks);
      ADD_FAILURE() << "it was divided";
    } catch (const perdure::error& failure) {
      EXPECT_EQ(failure.code(), errc::damaged);
      const std::string words = "the graph \"graph\" is damaged: a ghost is no vertex";
      EXPECT_EQ(failure.what(), by_ranks ? "rank 1: " + words : words);
    }
    EXPECT_EQ(set_reader(path()).parts(), 2U);
  }
}

TEST_F(DividedGraph, IsDividedOrAsBeforeWhereTheProcessIsKilled) {
  const weighted_edges edges = random_edges_of(20);
  const std::vector<rank_graph> parts = store(2, edges, false);
  int ended = perdure::ended_at_call;
  bool was_as_before = false;
  // Calls between these are tried with sets without graphs (crash.ranks.divided_by_program).
  for (int call = 0; ended == perdure::ended_at_call; call += 41) {
    SCOPED_TRACE(call);
    ASSERT_LT(call, 10'000);
    ended = perdure::result_of_child([&]() -> int {
      const perdure::watched_calls calls(perdure::ending_at(call));
      divide(3, false);
      return 0;
    });
    if (set_reader(path()).parts() == 2) {
      was_as_before = true;
      EXPECT_EQ(stored().parts(), 2);
      for (int rank = 0; rank < 2; ++rank)
        expect_equal(stored().part(rank, 2), parts[static_cast<std::size_t>(rank)]);
      continue;
    }
    expect_made_by(3, edges, false, "graph");
    if (ended == perdure::ended_at_call) divide(2, false);
  }
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(was_as_before);
  expect_made_by(3, edges, false, "graph");
}

}  // namespace
