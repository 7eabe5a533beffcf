#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/rmat.hpp>
#include <set>
#include <vector>

#include "drawn_by_threads.hpp"

namespace {
using namespace perdure::graph;

std::vector<edge> all_edges(const rmat_parameters& p) {
  const rmat_generator generator(p);
  std::vector<edge> edges(generator.edges());
  generator.generate(0, generator.edges(), edges.data());
  return edges;
}

TEST(Rmat, HasTheSizeAskedFor) {
  const rmat_generator generator({.scale = 10, .edge_factor = 7});
  EXPECT_EQ(generator.vertex_ids(), 1024u);
  EXPECT_EQ(generator.edges(), 7u * 1024);
  for (const edge& e : all_edges({.scale = 10, .edge_factor = 7})) {
    EXPECT_LT(e.source, 1024u);
    EXPECT_LT(e.target, 1024u);
  }
}

TEST(Rmat, DependsOnTheSeedOnly) {
  EXPECT_EQ(all_edges({.scale = 10, .seed = 5}), all_edges({.scale = 10, .seed = 5}));
  EXPECT_NE(all_edges({.scale = 10, .seed = 5}), all_edges({.scale = 10, .seed = 6}));
}

TEST(Rmat, AnyRangeMayBeGeneratedAlone) {
  const rmat_parameters p{.scale = 12, .seed = 9};
  const std::vector<edge> whole = all_edges(p);
  const rmat_generator generator(p);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4711}}) {
    std::vector<edge> part(1000);
    generator.generate(first, first + part.size(), part.data());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST(Rmat, SourceGivesTheSameEdgesToManyThreads) {
  const rmat_parameters p{.scale = 12, .seed = 3};
  rmat_source source(p, 1000);
  auto order = [](const edge& a, const edge& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  };
  std::vector<edge> together = perdure::test::drawn_by_threads(source, 4);
  std::vector<edge> expected = all_edges(p);
  std::sort(together.begin(), together.end(), order);
  std::sort(expected.begin(), expected.end(), order);
  EXPECT_EQ(together, expected);
  EXPECT_EQ(source.progress().done, expected.size());
  edge_batch batch;
  EXPECT_FALSE(source.next(batch));
}

TEST(Rmat, ScramblingIsABijection) {
  for (const unsigned scale : {1u, 2u, 3u, 9u, 10u}) {
    const std::vector<edge> plain = all_edges({.scale = scale, .edge_factor = 64, .scramble = false});
    const std::vector<edge> scrambled = all_edges({.scale = scale, .edge_factor = 64, .scramble = true});
    // The same plain id must always become the same scrambled one, and no two the same.
    std::vector<std::uint64_t> image(std::size_t{1} << scale, ~std::uint64_t{0});
    std::set<std::uint64_t> seen;
    auto map = [&](std::uint64_t from, std::uint64_t to) {
      if (image[from] == ~std::uint64_t{0}) {
        image[from] = to;
        EXPECT_TRUE(seen.insert(to).second);
      }
      EXPECT_EQ(image[from], to);
    };
    for (std::size_t i = 0; i < plain.size(); ++i) {
      map(plain[i].source, scrambled[i].source);
      map(plain[i].target, scrambled[i].target);
    }
  }
}

TEST(Rmat, QuadrantsHaveTheirProbabilities) {
  // The top bits of unscrambled ids are one draw per edge.
  const std::vector<edge> edges = all_edges({.scale = 16, .scramble = false});
  double counts[2][2] = {};
  for (const edge& e : edges) counts[e.source >> 15][e.target >> 15] += 1.0;
  const double n = static_cast<double>(edges.size());
  EXPECT_NEAR(counts[0][0] / n, 0.57, 0.003);
  EXPECT_NEAR(counts[0][1] / n, 0.19, 0.003);
  EXPECT_NEAR(counts[1][0] / n, 0.19, 0.003);
  EXPECT_NEAR(counts[1][1] / n, 0.05, 0.003);
}

TEST(Rmat, DegreesAreSkewedAndUnrelatedToTheId) {
  std::vector<std::uint32_t> degree(1u << 16);
  for (const edge& e : all_edges({.scale = 16})) ++degree[e.source];
  std::uint64_t low_half = std::accumulate(degree.begin(), degree.begin() + (1 << 15), std::uint64_t{0});
  EXPECT_NEAR(static_cast<double>(low_half) / (16 << 16), 0.5, 0.05);
  std::sort(degree.begin(), degree.end(), std::greater<>());
  const std::uint64_t top =
      std::accumulate(degree.begin(), degree.begin() + (1 << 16) / 100, std::uint64_t{0});
  EXPECT_GT(top, (16u << 16) / 5);  // 1 % of the vertices have more than a fifth of the edges
  EXPECT_GT(degree[0], 100u * 16);  // hubs
  EXPECT_EQ(degree.back(), 0u);     // and isolated vertices
}

TEST(Rmat, RefusesAbsurdParameters) {
  auto code = [](const rmat_parameters& p) {
    try {
      rmat_generator g(p);
    } catch (const perdure::error& e) {
      return e.code();
    }
    return perdure::errc::ok;
  };
  using enum perdure::errc;
  EXPECT_EQ(code({.scale = 0}), invalid_argument);
  EXPECT_EQ(code({.scale = 49}), invalid_argument);
  EXPECT_EQ(code({.scale = 48}), ok);
  EXPECT_EQ(code({.scale = 40, .edge_factor = 0}), invalid_argument);
  EXPECT_EQ(code({.scale = 40, .edge_factor = std::uint64_t{1} << 40}), invalid_argument);
  EXPECT_EQ(code({.a = 0.9, .b = 0.9}), invalid_argument);
  EXPECT_EQ(code({.a = -0.1}), invalid_argument);
}

}  // namespace
