// Graphs among the arrays of sets of stores whose ranks are threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "small_graphs.hpp"
#include "support/exchange_group.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure::test {

using weighted_edges = std::vector<std::pair<graph::edge, double>>;

/// A set of stores with graphs.
class SetGraph : public scratch_test {
 protected:
  SetGraph() : scratch_test(fast_directory()) {}

  std::unique_ptr<detail::store_set> open(graph::rank_exchange& own, detail::store_set::mode how) const {
    detail::set_options options;
    options.store = small_store();
    return detail::store_set::open(std::make_unique<exchange_group>(own), how, path(), options,
                                   detail::opener_of_managers<relocatable>());
  }
  // Stores the graph of these edges by so many ranks. Returns its parts.
  std::vector<graph::rank_graph> store(int ranks, const weighted_edges& edges, bool with_weights,
                                       const std::string& name = "graph",
                                       graph::rank_order order = graph::rank_order::none) const {
    std::vector<graph::rank_graph> parts(static_cast<std::size_t>(ranks));
    graph::run_thread_ranks(ranks, [&](graph::rank_exchange& own) {
      weighted_source source(own.rank() == 0 ? edges : weighted_edges{});
      graph::rank_graph& part = parts[static_cast<std::size_t>(own.rank())];
      part = graph::ordered(graph::build_rank_graph(source, own, {.with_weights = with_weights}), order, own);
      const auto set = open(own, detail::store_set::mode::open_or_create);
      graph::store_rank_graph(*set->arrays(), name, part, own, order);
      set->checkpoint({});
      set->close();
    });
    return parts;
  }
  graph::set_graph stored(const std::string& name = {}) const {
    return graph::set_graph(set_reader(path()).arrays().untyped(), name);
  }
};

inline void expect_equal(const graph::rank_graph& found, const graph::rank_graph& expected) {
  const auto equal = [](auto some, auto others) { return std::ranges::equal(some, others); };
  EXPECT_EQ(found.bounds(), expected.bounds());
  EXPECT_PRED2(equal, found.offsets(), expected.offsets());
  EXPECT_PRED2(equal, found.targets(), expected.targets());
  EXPECT_PRED2(equal, found.weights(), expected.weights());
  EXPECT_PRED2(equal, found.ids(), expected.ids());
  EXPECT_PRED2(equal, found.ghosts(), expected.ghosts());
  EXPECT_EQ(found.is_simple(), expected.is_simple());
  const auto& plan = found.plan();
  const auto& wanted = expected.plan();
  EXPECT_PRED2(equal, plan.seen, wanted.seen);
  EXPECT_PRED2(equal, plan.ghost_rows, wanted.ghost_rows);
  if (found.ranks() > 1) {
    EXPECT_PRED2(equal, plan.ghost_offsets, wanted.ghost_offsets);
  }
  ASSERT_EQ(plan.neighbours.size(), wanted.neighbours.size());
  for (std::size_t i = 0; i < plan.neighbours.size(); ++i) {
    EXPECT_EQ(plan.neighbours[i].rank, wanted.neighbours[i].rank);
    EXPECT_PRED2(equal, plan.neighbours[i].seen, wanted.neighbours[i].seen);
    EXPECT_EQ(plan.neighbours[i].first_ghost, wanted.neighbours[i].first_ghost);
    EXPECT_EQ(plan.neighbours[i].ghosts, wanted.neighbours[i].ghosts);
  }
}

inline weighted_edges random_edges(std::mt19937_64& random, std::uint64_t vertices) {
  const std::uint64_t factor = random() % 2 == 0 ? 1 : 1'000'000'007;
  weighted_edges edges;
  for (std::uint64_t i = random() % (5 * vertices); i > 0; --i)
    edges.push_back({{random() % vertices * factor, random() % vertices * factor},
                     static_cast<double>(random() % 100) / 8});
  return edges;
}

inline weighted_edges random_edges_of(std::uint64_t vertices) {
  std::mt19937_64 random(vertices);
  weighted_edges edges;
  for (std::uint64_t i = 0; i < 5 * vertices; ++i)
    edges.push_back({{random() % vertices, random() % vertices}, static_cast<double>(i % 7)});
  return edges;
}

}  // namespace perdure::test
