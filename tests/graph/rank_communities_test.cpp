// Communities of graphs that ranks have together: the same as in one process, for any number of ranks and
// threads.
#include <gtest/gtest.h>

#include <limits>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/graph/rmat.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rank_graphs.hpp"
#include "small_graphs.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;
using perdure::test::even_bounds;
using perdure::test::part_of;
using perdure::test::weighted_source;

struct found_by_ranks {
  std::vector<vertex_id> labels;
  community_summary summary;
};

// Each rank counts what it sends; the limit is one of all ranks together.
void expect_short_messages(const std::vector<rank_community_result>& results) {
  for (const rank_community_result& one : results)
    ASSERT_EQ(one.sweeps.size(), results.front().sweeps.size());
  EXPECT_EQ(results.front().sweeps.empty(), results.size() == 1);
  for (std::size_t sweep = 0; sweep < results.front().sweeps.size(); ++sweep) {
    louvain_sweep all;
    for (const rank_community_result& one : results) {
      all.bytes_sent += one.sweeps[sweep].bytes_sent;
      all.changed_ghosts += one.sweeps[sweep].changed_ghosts;
      all.remote_communities += one.sweeps[sweep].remote_communities;
    }
    EXPECT_LE(all.bytes_sent, 16 * all.changed_ghosts + 32 * all.remote_communities) << "sweep " << sweep;
  }
}

found_by_ranks louvain_of(const csr_view& view, const std::vector<std::uint64_t>& bounds,
                          const louvain_options& options) {
  const int ranks = static_cast<int>(bounds.size()) - 1;
  std::vector<rank_community_result> results(bounds.size() - 1);
  run_thread_ranks(ranks, [&](rank_exchange& own) {
    results[static_cast<std::size_t>(own.rank())] = louvain(part_of(view, bounds, own), own, options);
  });
  expect_short_messages(results);
  found_by_ranks all{{}, results.front().summary};
  for (const rank_community_result& one : results) {
    all.labels.insert(all.labels.end(), one.labels.begin(), one.labels.end());
    EXPECT_EQ(one.summary.modularity, all.summary.modularity);
  }
  return all;
}

void expect_same(const csr_view& view, const std::vector<std::uint64_t>& bounds,
                 const louvain_options& options, const community_result& expected) {
  const found_by_ranks found = louvain_of(view, bounds, options);
  ASSERT_EQ(found.labels, std::vector<vertex_id>(expected.labels.begin(), expected.labels.end()))
      << bounds.size() - 1 << " ranks, " << options.threads << " threads";
  EXPECT_EQ(found.summary.modularity, expected.summary.modularity);
  EXPECT_EQ(found.summary.communities, expected.summary.communities);
  EXPECT_EQ(found.summary.largest, expected.summary.largest);
  EXPECT_EQ(found.summary.levels, expected.summary.levels);
  EXPECT_EQ(found.summary.iterations, expected.summary.iterations);
}

// A loop at each vertex makes ids from 0 on, without gaps, so that ids and numbers are the same.
void build(memory_csr& graph, std::vector<std::pair<edge, double>> edges, std::uint64_t vertices,
           bool with_weights) {
  for (vertex_id v = 0; v < vertices; ++v) edges.push_back({{v, v}, 0});
  weighted_source source(std::move(edges));
  build_csr(graph, source, {.kind = direction::undirected, .with_weights = with_weights});
}

TEST(CommunitiesOfRanks, AreThoseOfOneProcess) {
  std::mt19937_64 random(99);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t vertices = 1 + random() % 40;
    std::vector<std::pair<edge, double>> edges;
    const std::uint64_t count = random() % (4 * vertices);
    const double unit = std::vector<double>{1, 0.37, 0, 1e300, 1e-300}[random() % 5];
    for (std::uint64_t i = 0; i < count; ++i)
      edges.push_back({{random() % vertices, random() % vertices}, static_cast<double>(random() % 5) * unit});
    memory_csr graph;
    build(graph, edges, vertices, round % 2 == 0);
    louvain_options options{.resolution = round % 7 == 0 ? 0.5 : 1,
                            .starts = 1 + static_cast<unsigned>(random() % 2)};
    const community_result expected = louvain(graph.view(), options);
    for (int ranks = 1; ranks <= 5; ++ranks) {
      options.reads_rows_once = (round + ranks) % 2 == 0;
      expect_same(graph.view(),
                  round % 3 == 0 ? perdure::test::random_bounds(vertices, ranks, random)
                                 : even_bounds(vertices, ranks),
                  options, expected);
    }
  }
}

TEST(CommunitiesOfRanks, OfLargerGraphsAreThoseOfOneProcess) {
  for (const bool is_geometric : {true, false}) {
    memory_csr graph;
    if (is_geometric) {
      rgg_source source({.vertices = 4000, .seed = 8, .scramble = true});
      build_csr(graph, source, {.kind = direction::undirected});
    } else {
      std::vector<std::pair<edge, double>> edges;
      const rmat_generator generator({.scale = 11, .edge_factor = 4});
      for (std::uint64_t i = 0; i < generator.edges(); ++i)
        edges.push_back({generator(i), static_cast<double>(i % 9) / 7});
      build(graph, edges, 2048, true);
    }
    const community_result expected = louvain(graph.view(), {.starts = 1});
    for (const int ranks : {2, 3, 5})
      for (const unsigned threads : {1U, 2U})
        for (const bool reads_rows_once : {false, true})
          expect_same(graph.view(), even_bounds(graph.view().size(), ranks),
                      {.starts = 1, .reads_rows_once = reads_rows_once, .threads = threads}, expected);
  }
}

// A path through four vertices, two at each of two ranks: each sees one of the other's.
TEST(CommunitiesOfRanks, AreCountedWhereOtherRanksSeeThem) {
  const perdure::test::shuffled_graph path(4, {{0, 1}, {1, 2}, {2, 3}}, 1);
  std::vector<rank_community_result> results(2);
  run_thread_ranks(2, [&](rank_exchange& own) {
    results[static_cast<std::size_t>(own.rank())] =
        louvain(part_of(path.view(), {0, 2, 4}, own), own, {.starts = 1});
  });
  for (const rank_community_result& one : results) {
    ASSERT_FALSE(one.sweeps.empty());
    EXPECT_LE(one.sweeps.front().changed_ghosts, 1U);
    // At the beginning each vertex is a community; a neighbour may be in another one at the end of the sweep.
    EXPECT_GE(one.sweeps.front().remote_communities, 1U);
    EXPECT_LE(one.sweeps.front().remote_communities, 2U);
    EXPECT_EQ(one.sweeps.back().bytes_sent, 0U);
  }
}

TEST(CommunitiesOfRanks, OfFewerLevelsAreWorse) {
  memory_csr graph;
  rgg_source source({.vertices = 3000, .seed = 4});
  build_csr(graph, source, {.kind = direction::undirected});
  const auto found = [&](const louvain_options& options) {
    const community_result one = louvain(graph.view(), options);
    EXPECT_EQ(verify_communities(graph.view(), one), std::nullopt);
    for (const int ranks : {1, 3}) expect_same(graph.view(), even_bounds(3000, ranks), options, one);
    return one.summary;
  };
  const community_summary first = found({.starts = 1, .first_phase_only = true});
  const community_summary none = found({.starts = 1, .max_levels = 0});
  const community_summary some = found({.starts = 1, .max_levels = 1});
  const community_summary all = found({.starts = 1});
  EXPECT_EQ(first.levels, 0U);
  EXPECT_EQ(none.levels, 0U);
  EXPECT_EQ(some.levels, 1U);
  EXPECT_GT(all.levels, 1U);
  EXPECT_LT(first.iterations, none.iterations);
  EXPECT_LT(first.modularity, some.modularity);
  EXPECT_LT(some.modularity, all.modularity);
}

TEST(CommunitiesOfRanks, OfWrongWeightsAreRefusedOnAllRanks) {
  const auto refused = [](const std::string& words, const auto& spoil) {
    perdure::test::expect_refused_on_all(
        words, spoil, [](const rank_graph& part, rank_exchange& own) { louvain(part, own); });
  };
  refused("an arc of rank 1 weighs -1", [](rank_rows& rows) { rows.weights.back() = -1; });
  refused("an arc of rank 1 weighs nan",
          [](rank_rows& rows) { rows.weights.back() = std::numeric_limits<double>::quiet_NaN(); });
}

TEST(RanksOfThreads, ExchangeMessagesAndSums) {
  run_thread_ranks(4, [](rank_exchange& own) {
    for (int round = 0; round < 20; ++round) {
      std::vector<rank_message> messages;
      for (int to = 0; to < own.size(); ++to)
        if (to != own.rank() && (to + own.rank() + round) % 2 == 0)
          messages.push_back(
              {to, std::vector<std::byte>(static_cast<std::size_t>(own.rank() + 1), std::byte(round))});
      const std::vector<rank_message> received = own.exchange(std::move(messages));
      std::vector<rank_message> expected;
      for (int from = 0; from < own.size(); ++from)
        if (from != own.rank() && (from + own.rank() + round) % 2 == 0)
          expected.push_back(
              {from, std::vector<std::byte>(static_cast<std::size_t>(from + 1), std::byte(round))});
      ASSERT_EQ(received.size(), expected.size());
      for (std::size_t i = 0; i < received.size(); ++i) {
        EXPECT_EQ(received[i].rank, expected[i].rank);
        EXPECT_EQ(received[i].bytes, expected[i].bytes);
      }
      std::uint64_t numbers[] = {1, static_cast<std::uint64_t>(own.rank())};
      own.add_up(numbers);
      EXPECT_EQ(numbers[0], 4u);
      EXPECT_EQ(numbers[1], 6u);
      EXPECT_EQ(own.gather(static_cast<std::uint64_t>(own.rank() * round)),
                (std::vector<std::uint64_t>{0, static_cast<std::uint64_t>(round),
                                            2 * static_cast<std::uint64_t>(round),
                                            3 * static_cast<std::uint64_t>(round)}));
    }
  });
}

TEST(RanksOfThreads, EndTogetherWhenOneFails) {
  std::mutex mutex;
  std::vector<std::string> told;
  EXPECT_TRUE(fails_with(errc::no_space, "the disk of rank 2", [&] {
    run_thread_ranks(3, [&](rank_exchange& own) {
      own.gather(1);
      if (own.rank() == 2) throw perdure::error(errc::no_space, "the disk of rank 2 is full");
      try {
        own.gather(2);
      } catch (const perdure::error& e) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(e.code(), errc::rank_failed);
        told.emplace_back(e.what());
        throw;
      }
    });
  }));
  EXPECT_EQ(told, std::vector<std::string>(2, "rank 2 has failed, so that no rank can go on"));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "0 ranks", [] { run_thread_ranks(0, [](rank_exchange&) {}); }));
}

}  // namespace
