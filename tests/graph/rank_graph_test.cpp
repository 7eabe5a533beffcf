// Graphs that ranks build together of edges that each of them draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/graph/rmat.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "small_graphs.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;
using perdure::test::weighted_source;
using weighted_edges = std::vector<std::pair<edge, double>>;

// Rows of the whole graph, by the ids of their vertices, each with its neighbours' ids and weights in order.
struct whole_rows {
  std::vector<vertex_id> ids;
  std::vector<std::vector<std::pair<vertex_id, double>>> rows;
  bool operator==(const whole_rows&) const = default;
};

whole_rows rows_of(const csr_view& view) {
  whole_rows all;
  for (const vertex_handle v : view.in_id_order()) {
    all.ids.push_back(view.id(v));
    auto& row = all.rows.emplace_back();
    const auto neighbours = view.neighbours(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      row.emplace_back(view.id(neighbours[i]), view.has_weights() ? view.weights(v)[i] : 0);
    std::sort(row.begin(), row.end());
  }
  return all;
}

whole_rows joined(const std::vector<rank_graph>& parts) {
  whole_rows all;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const rank_graph& part = parts[rank];
    for (vertex_handle v = 0; v < part.size(); ++v)
      all.ids.push_back(part.ids().empty() ? part.number(v) : part.ids()[v]);
  }
  for (const rank_graph& part : parts)
    for (vertex_handle v = 0; v < part.size(); ++v) {
      auto& row = all.rows.emplace_back();
      for (std::uint64_t i = part.offsets()[v]; i < part.offsets()[v + std::size_t{1}]; ++i)
        row.emplace_back(all.ids[part.number(part.targets()[i])],
                         part.weights().empty() ? 0 : part.weights()[i]);
    }
  return all;
}

// Each edge is drawn by a rank that `random` chooses.
std::vector<rank_graph> built_by(int ranks, const weighted_edges& edges, const rank_build_options& options,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<weighted_edges> drawn(static_cast<std::size_t>(ranks));
  for (const auto& one : edges) drawn[random() % drawn.size()].push_back(one);
  std::vector<rank_graph> parts(drawn.size());
  run_thread_ranks(ranks, [&](rank_exchange& own) {
    const auto rank = static_cast<std::size_t>(own.rank());
    weighted_source source(std::move(drawn[rank]));
    parts[rank] = build_rank_graph(source, own, options);
  });
  return parts;
}

TEST(GraphsOfRanks, HaveTheRowsOfOneProcess) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100; ++round) {
    const std::uint64_t vertices = 1 + random() % 50;
    // Small ids, ids of 64 bits, few different ones.
    const std::uint64_t factor =
        std::vector<std::uint64_t>{1, 0x0123'4567'89AB'CDEF, 1'000'000'007}[random() % 3];
    weighted_edges edges;
    for (std::uint64_t i = random() % (4 * vertices); i > 0; --i)
      edges.push_back(
          {{random() % vertices * factor, random() % vertices * factor}, static_cast<double>(random() % 3)});
    const bool with_weights = round % 2 == 0;
    memory_csr graph;
    weighted_source source{weighted_edges(edges)};
    build_csr(graph, source, {.kind = direction::undirected, .with_weights = with_weights});
    const whole_rows expected = rows_of(graph.view());
    for (int ranks = 1; ranks <= 5; ++ranks)
      ASSERT_EQ(
          joined(built_by(ranks, edges, {.with_weights = with_weights, .threads = 1 + unsigned(round) % 2},
                          random())),
          expected)
          << ranks << " ranks, round " << round;
  }
}

TEST(GraphsOfRanks, DivideArcsEvenly) {
  weighted_edges edges;
  for (vertex_id v = 1; v <= 300; ++v) edges.push_back({{0, v}, 0});  // a star: one giant vertex
  for (vertex_id v = 1000; v < 2000; ++v) edges.push_back({{v, v + 1}, 0});
  for (int ranks = 1; ranks <= 5; ++ranks) {
    const std::vector<rank_graph> parts = built_by(ranks, edges, {}, 3);
    const std::uint64_t all = 2 * 1300 + 1302;
    for (const rank_graph& part : parts) {
      const std::uint64_t own = part.arcs() + part.size();
      EXPECT_LE(own, all / static_cast<std::uint64_t>(ranks) + 302);
    }
  }
}

TEST(GraphsOfRanks, HaveVerticesWithoutEdgesThatSourcesDeclare) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    std::vector<rank_graph> parts(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      // Four points in a square have no neighbours at this distance. Rank 0 alone draws.
      rgg_source all({.vertices = 4, .degree = 1e-9, .seed = 2});
      weighted_source none({});
      parts[static_cast<std::size_t>(own.rank())] =
          own.rank() == 0 ? build_rank_graph(all, own) : build_rank_graph(none, own);
    });
    EXPECT_EQ(parts.front().vertices(), 4U);
    EXPECT_EQ(joined(parts).ids, (std::vector<vertex_id>{0, 1, 2, 3}));
  }
}

// The model of docs/dev/messages-between-ranks.md, by which messages on many ranks are foretold.
TEST(GraphsOfRanks, HaveAsManyGhostsAsTheModelSays) {
  const auto counted = [](int ranks, const auto& source_of) {
    std::vector<rank_graph> parts(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      const auto source =
          source_of(source_share{static_cast<std::uint64_t>(own.rank()), static_cast<std::uint64_t>(ranks)});
      parts[static_cast<std::size_t>(own.rank())] = build_rank_graph(*source, own);
    });
    return parts;
  };
  const auto ghosts_in = [](const std::vector<rank_graph>& parts) {
    std::size_t ghosts = 0;
    for (const rank_graph& part : parts) ghosts += part.ghosts().size();
    return static_cast<double>(ghosts) / static_cast<double>(parts.size());
  };
  for (const int ranks : {4, 16}) {
    const double p = ranks;
    const std::vector<rank_graph> square = counted(ranks, [](const source_share& share) {
      return std::make_unique<rgg_source>(rgg_parameters{.vertices = 16384, .degree = 9, .seed = 4}, 1024,
                                          share);
    });
    const double expected = 0.8 * 4 * std::sqrt(9 * 16384 / (3.14159 * p)) * (1 - 1 / std::sqrt(p));
    EXPECT_GT(ghosts_in(square), 0.75 * expected) << ranks;
    EXPECT_LT(ghosts_in(square), 1.3 * expected) << ranks;

    const std::vector<rank_graph> skewed = counted(ranks, [](const source_share& share) {
      return std::make_unique<rmat_source>(rmat_parameters{.scale = 11, .edge_factor = 8}, 1024, share);
    });
    double seen = 0;
    for (const rank_graph& part : skewed)
      for (vertex_handle v = 0; v < part.size(); ++v)
        seen += 1 - std::pow(1 - 1 / p, static_cast<double>(part.degree(v)));
    EXPECT_NEAR(ghosts_in(skewed), seen * (p - 1) / p, 0.05 * seen) << ranks;
  }
}

TEST(GraphsOfRanks, FailOnAllRanksInTheSameWords) {
  class broken_source final : public edge_source {
   public:
    bool next(edge_batch&) override { throw perdure::error(errc::bad_input, "line 7 is no edge"); }
    perdure::workload::progress progress() const noexcept override { return {}; }
  };
  run_thread_ranks(3, [&](rank_exchange& own) {
    broken_source broken;
    weighted_source sound({{{1, 2}, 0}});
    edge_source* const source = own.rank() == 1 ? static_cast<edge_source*>(&broken) : &sound;
    EXPECT_TRUE(
        fails_with(errc::bad_input, "rank 1: line 7 is no edge", [&] { build_rank_graph(*source, own); }));
    EXPECT_EQ(own.gather(5), (std::vector<std::uint64_t>{5, 5, 5}));  // and can go on
  });
}

}  // namespace
