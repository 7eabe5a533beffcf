// Levels of communities, and communities that others were the beginning of: the same for any number of ranks
// and threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ranks/labels_by_id.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/rgg.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rank_graphs.hpp"
#include "small_graphs.hpp"
#include "support/errors.hpp"

namespace perdure::test {
namespace {

using graph::community_result;
using graph::csr_view;
using graph::louvain_options;
using graph::rank_community_result;
using graph::vertex_handle;
using graph::vertex_id;

void expect_same_levels(const community_result& found, const community_result& expected) {
  EXPECT_EQ(found.labels, expected.labels);
  EXPECT_EQ(found.summary.modularity, expected.summary.modularity);
  EXPECT_EQ(found.summary.iterations, expected.summary.iterations);
  ASSERT_EQ(found.levels.size(), expected.levels.size());
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    EXPECT_EQ(found.levels[i].labels, expected.levels[i].labels) << "level " << i;
    EXPECT_EQ(found.levels[i].communities, expected.levels[i].communities);
    EXPECT_EQ(found.levels[i].modularity, expected.levels[i].modularity);
  }
}

/// Returns what ranks find together, as one process has it.
template <class Work>
community_result found_by(const csr_view& view, const std::vector<std::uint64_t>& bounds, Work&& work) {
  const std::vector<rank_community_result> parts = results_of_ranks(view, bounds, work);
  community_result all{{}, parts.front().summary, {}};
  for (const auto& level : parts.front().levels)
    all.levels.push_back({{}, level.communities, level.modularity});
  for (const rank_community_result& part : parts) {
    all.labels.insert(all.labels.end(), part.labels.begin(), part.labels.end());
    EXPECT_EQ(part.levels.size(), all.levels.size());
    for (std::size_t i = 0; i < all.levels.size(); ++i)
      all.levels[i].labels.insert(all.levels[i].labels.end(), part.levels[i].labels.begin(),
                                  part.levels[i].labels.end());
  }
  return all;
}

/// Whether the vertices of each community are connected within it.
bool are_connected(const csr_view& view, const std::vector<vertex_handle>& labels) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> within;
  for (vertex_handle v = 0; v < view.size(); ++v)
    for (const vertex_handle u : view.neighbours(v))
      if (u >= v && labels[u] == labels[v]) within.emplace_back(v, u);
  const shuffled_graph apart(view.size(), within, 1);
  return graph::connected_components(apart.view()).labels == labels;
}

/// Each level's communities are right, connected and within those of the next one, which are fewer; the last
/// ones are the answer.
void expect_nested(const csr_view& view, const community_result& found) {
  ASSERT_FALSE(found.levels.empty());
  EXPECT_EQ(found.levels.back().labels, found.labels);
  EXPECT_EQ(found.levels.back().modularity, found.summary.modularity);
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const auto& level = found.levels[i];
    SCOPED_TRACE("level " + std::to_string(i));
    EXPECT_EQ(
        graph::verify_communities(
            view, {level.labels, {.communities = level.communities, .modularity = level.modularity}, {}}),
        std::nullopt);
    EXPECT_TRUE(are_connected(view, level.labels));
    if (i + 1 == found.levels.size()) break;
    EXPECT_GT(level.communities, found.levels[i + 1].communities);
    std::map<vertex_handle, vertex_handle> within;
    for (vertex_handle v = 0; v < view.size(); ++v)
      ASSERT_EQ(within.try_emplace(level.labels[v], found.levels[i + 1].labels[v]).first->second,
                found.levels[i + 1].labels[v]);
  }
}

TEST(CommunityLevels, AreNestedAndTheSameForAnyNumberOfRanks) {
  on_small_divided_graphs(5, 10, [&](const csr_view& view, auto&& divide) {
    const community_result expected = graph::louvain(view, {.starts = 1, .keep_levels = true});
    expect_nested(view, expected);
    const community_result without = graph::louvain(view, {.starts = 1});
    EXPECT_EQ(without.labels, expected.labels);
    EXPECT_TRUE(without.levels.empty());
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      const louvain_options how{.starts = 1, .keep_levels = true, .threads = threads};
      expect_same_levels(found_by(view, bounds,
                                  [&](const auto& rows, graph::rank_exchange& own) {
                                    return graph::louvain(rows, own, how);
                                  }),
                         expected);
    });
  });
}

void make_square(graph::memory_csr& made, std::uint64_t vertices, unsigned left_out_of) {
  graph::rgg_source all({.vertices = vertices, .seed = 8, .scramble = true});
  std::vector<std::pair<edge, double>> edges;
  std::mt19937_64 random(4);
  for (graph::edge_batch batch; all.next(batch);)
    for (const edge& e : batch.edges)
      if (left_out_of == 0 || random() % left_out_of != 0) edges.push_back({e, 0});
  for (vertex_id v = 0; v < vertices; ++v) edges.push_back({{v, v}, 0});
  weighted_source source(std::move(edges));
  graph::build_csr(made, source, {.kind = graph::direction::undirected});
}

TEST(CommunityLevels, OfALargerGraphBeginWithManyCommunities) {
  graph::memory_csr square;
  make_square(square, 3000, 0);
  const csr_view view = square.view();
  const community_result found = graph::louvain(view, {.starts = 1, .keep_levels = true});
  expect_nested(view, found);
  ASSERT_GE(found.levels.size(), 3U);
  EXPECT_GT(found.levels.front().communities, 5 * found.summary.communities);
  EXPECT_GT(found.levels.front().communities, 100U);
  EXPECT_EQ(graph::louvain(view, {.first_phase_only = true, .keep_levels = true}).levels.size(), 1U);
  for (const unsigned threads : {1U, 2U})
    expect_same_levels(found_by(view, even_bounds(3000, 3),
                                [&](const auto& rows, graph::rank_exchange& own) {
                                  return graph::louvain(
                                      rows, own, {.starts = 1, .keep_levels = true, .threads = threads});
                                }),
                       found);
}

TEST(CommunitiesFromOthers, AreThoseOfOneProcess) {
  std::mt19937_64 random(17);
  on_small_divided_graphs(6, 12, [&](const csr_view& view, auto&& divide) {
    // Communities of no sense, of which many are not connected.
    std::vector<vertex_id> start(view.size());
    for (vertex_id& label : start) label = random() % view.size();
    const community_result expected = graph::louvain_from(view, start, {.keep_levels = true});
    expect_nested(view, expected);
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
      const louvain_options how{.keep_levels = true, .threads = threads};
      expect_same_levels(
          found_by(view, bounds,
                   [&](const auto& rows, graph::rank_exchange& own) {
                     const auto first =
                         static_cast<std::ptrdiff_t>(bounds[static_cast<std::size_t>(own.rank())]);
                     const auto end =
                         static_cast<std::ptrdiff_t>(bounds[static_cast<std::size_t>(own.rank()) + 1]);
                     return graph::louvain_from(rows, {start.begin() + first, start.begin() + end}, own, how);
                   }),
          expected);
    });
  });
}

TEST(CommunitiesFromOthers, AreAsGoodAfterMoreEdgesAndTakeFewIterations) {
  graph::memory_csr before;
  make_square(before, 6000, 100);
  graph::memory_csr after;
  make_square(after, 6000, 0);
  const community_result old = graph::louvain(before.view(), {.starts = 1});
  const community_result anew = graph::louvain(after.view(), {.starts = 1});
  const community_result found = graph::louvain_from(after.view(), {old.labels.begin(), old.labels.end()});
  EXPECT_EQ(graph::verify_communities(after.view(), found), std::nullopt);
  EXPECT_GT(found.summary.modularity, anew.summary.modularity - 0.003);
  EXPECT_LT(found.summary.iterations, anew.summary.iterations / 8);
}

TEST(CommunitiesFromOthers, OfTheAnswerAreCalledByTheirSmallestVertices) {
  const shuffled_graph path = random_path(200, 3);
  const community_result answer = graph::louvain(path.view());
  // Here communities are called by their largest vertices.
  std::vector<vertex_id> start(200);
  std::vector<vertex_handle> largest(200);
  for (vertex_handle v = 0; v < 200; ++v) largest[answer.labels[v]] = v;
  for (vertex_handle v = 0; v < 200; ++v) start[v] = largest[answer.labels[v]];
  const community_result found = graph::louvain_from(path.view(), start, {.keep_levels = true});
  EXPECT_GE(found.summary.modularity, answer.summary.modularity);
  EXPECT_EQ(graph::verify_communities(path.view(), found), std::nullopt);
  expect_nested(path.view(), found);
}

TEST(CommunitiesFromOthers, OfAnotherGraphAreFoundInMoreCycles) {
  graph::memory_csr square;
  make_square(square, 3000, 0);
  std::vector<vertex_id> alone(3000);
  std::iota(alone.begin(), alone.end(), vertex_id{0});
  const community_result anew = graph::louvain(square.view(), {.starts = 1});
  const community_result found = graph::louvain_from(square.view(), alone);
  EXPECT_GT(found.summary.modularity, anew.summary.modularity - 0.003);
  EXPECT_GT(found.summary.iterations, anew.summary.iterations / 3);
}

TEST(CommunitiesFromOthers, NeedLabelsThatAreVertices) {
  const auto refused = [](const std::string& part, const std::vector<vertex_id>& wrong) {
    expect_refused_on_all(
        part, [](const auto&) {},
        [&](const auto& rows, graph::rank_exchange& own) {
          graph::louvain_from(rows, own.rank() == 1 ? wrong : std::vector<vertex_id>{0, 5}, own);
        });
  };
  refused("rank 1: there are 1 labels to start from, for 2 vertices", {1});
  refused("rank 1: a label to start from is 6", {1, 6});
  const shuffled_graph path = random_path(3, 1);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "a label to start from is 3", [&] {
    graph::louvain_from(path.view(), {0, 3, 0});
  }));
}

/// Returns what ranks find for vertices of these ids, if each has a share of the labels.
graph::matched_labels matched_by(int ranks, const std::vector<vertex_id>& ids,
                                 const graph::labels_by_id& given) {
  const std::vector<std::uint64_t> bounds = even_bounds(ids.size(), ranks);
  std::vector<graph::matched_labels> parts(static_cast<std::size_t>(ranks));
  graph::run_thread_ranks(ranks, [&](graph::rank_exchange& own) {
    const auto rank = static_cast<std::size_t>(own.rank());
    graph::labels_by_id share;
    for (std::size_t i = rank; i < given.ids.size(); i += static_cast<std::size_t>(ranks)) {
      share.ids.push_back(given.ids[i]);
      share.labels.push_back(given.labels[i]);
    }
    parts[rank] = graph::match_labels(std::span(ids).subspan(bounds[rank], bounds[rank + 1] - bounds[rank]),
                                      share, own);
  });
  graph::matched_labels all{joined(parts, &graph::matched_labels::labels), parts.front().matched,
                            parts.front().left};
  for (const graph::matched_labels& part : parts) {
    EXPECT_EQ(part.matched, all.matched);
    EXPECT_EQ(part.left, all.left);
  }
  return all;
}

TEST(LabelsById, AreFoundWhateverTheOrderAndTheNumberOfRanks) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t factor = round % 2 == 0 ? 1 : 1'000'000'007;
    std::vector<vertex_id> ids(random() % 50);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * factor;
    std::shuffle(ids.begin(), ids.end(), random);
    graph::labels_by_id given;
    std::map<vertex_id, std::uint64_t> label_of;
    for (std::size_t i = 0; i < 60; ++i)
      if (random() % 3 != 0) label_of[i * factor] = random() % 8 * ~std::uint64_t{0} / 7;
    for (const auto& [id, label] : label_of) {
      given.ids.push_back(id);
      given.labels.push_back(label);
    }
    std::vector<vertex_id> expected;
    std::uint64_t matched = 0;
    for (std::size_t v = 0; v < ids.size(); ++v) {
      const auto label = label_of.find(ids[v]);
      matched += label != label_of.end();
      std::size_t first = v;
      for (std::size_t u = v; label != label_of.end() && u-- > 0;)
        if (const auto other = label_of.find(ids[u]);
            other != label_of.end() && other->second == label->second)
          first = u;
      expected.push_back(first);
    }
    for (int ranks = 1; ranks <= 5; ++ranks) {
      const graph::matched_labels found = matched_by(ranks, ids, given);
      EXPECT_EQ(found.labels, expected) << ranks << " ranks";
      EXPECT_EQ(found.matched, matched);
      EXPECT_EQ(found.left, given.ids.size() - matched);
    }
  }
}

TEST(LabelsById, HaveEachIdOnce) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    EXPECT_TRUE(fails_with(errc::invalid_argument, "vertex 7 has two communities, and may have one", [&] {
      matched_by(ranks, {1, 2, 3}, {{9, 7, 9, 3, 7, 8}, {1, 1, 2, 2, 1, 1}});
    }));
}

}  // namespace
}  // namespace perdure::test
