#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <perdure/error.hpp>
#include <perdure/graph/rgg.hpp>
#include <utility>
#include <vector>

#include "drawn_by_threads.hpp"

namespace {
using namespace perdure::graph;

using pairs = std::vector<std::pair<vertex_id, vertex_id>>;

// Without directions, in order.
pairs sorted(const std::vector<edge>& edges) {
  pairs all;
  all.reserve(edges.size());
  for (const edge& e : edges) all.emplace_back(std::min(e.source, e.target), std::max(e.source, e.target));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<edge> edges_of(const rgg_generator& generator, std::uint64_t cells_at_once) {
  std::vector<edge> edges;
  for (std::uint64_t first = 0; first < generator.cells(); first += cells_at_once)
    generator.generate(first, std::min(first + cells_at_once, generator.cells()), edges);
  return edges;
}

// What comparing all pairs of points gives.
pairs near_each_other(const rgg_generator& generator) {
  const std::vector<rgg_generator::point> points = generator.points();
  const double most = generator.radius() * generator.radius();
  pairs all;
  for (vertex_id v = 0; v < points.size(); ++v)
    for (vertex_id u = v + 1; u < points.size(); ++u) {
      const double dx = points[v].x - points[u].x;
      const double dy = points[v].y - points[u].y;
      if (dx * dx + dy * dy <= most) all.emplace_back(v, u);
    }
  return all;
}

TEST(RandomGeometricGraph, HasAnEdgeBetweenPointsThatAreNear) {
  for (const std::uint64_t vertices : {1u, 2u, 3u, 10u, 63u, 64u, 65u, 500u, 3000u})
    for (const double degree : {0.0, 0.01, 3.0, 40.0})
      for (const bool scramble : {false, true}) {
        if (degree > std::numbers::pi * static_cast<double>(vertices)) continue;
        const rgg_generator generator(
            {.vertices = vertices, .degree = degree, .seed = vertices + 7, .scramble = scramble});
        ASSERT_EQ(sorted(edges_of(generator, 5)), near_each_other(generator)) << vertices << ' ' << degree;
      }
  const rgg_generator large({.vertices = 20'000, .seed = 3});
  EXPECT_EQ(sorted(edges_of(large, large.cells())), near_each_other(large));
}

TEST(RandomGeometricGraph, DoesNotDependOnHowCellsWereDivided) {
  const rgg_generator generator({.vertices = 5000, .seed = 11});
  const auto same = [](const std::vector<edge>& a, const std::vector<edge>& b) { return a == b; };
  const std::vector<edge> whole = edges_of(generator, generator.cells());
  for (const std::uint64_t cells : {1u, 7u, 1000u}) EXPECT_TRUE(same(edges_of(generator, cells), whole));
  EXPECT_FALSE(same(edges_of(rgg_generator({.vertices = 5000, .seed = 12}), generator.cells()), whole));
  EXPECT_TRUE(std::is_sorted(whole.begin(), whole.end(), [](const edge& a, const edge& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  }));
}

// Deeper than the counts that the generator keeps.
TEST(RandomGeometricGraph, HasEachPointOnceWithManyCells) {
  const rgg_generator generator({.vertices = 100'000, .degree = 0.02, .seed = 4});
  ASSERT_GT(generator.cells(), std::uint64_t{1} << 20);
  std::vector<rgg_generator::point> points = generator.points();
  for (const auto& [x, y] : points) ASSERT_TRUE(x >= 0 && x < 1 && y >= 0 && y < 1);
  const auto order = [](const auto& a, const auto& b) { return std::pair(a.x, a.y) < std::pair(b.x, b.y); };
  std::sort(points.begin(), points.end(), order);
  EXPECT_EQ(std::adjacent_find(points.begin(), points.end(),
                               [&](const auto& a, const auto& b) { return !order(a, b) && !order(b, a); }),
            points.end());
}

TEST(RandomGeometricGraph, IsSpreadEvenlyAndHasTheDegreeAskedFor) {
  const rgg_generator generator({.vertices = 40'000, .degree = 12, .seed = 2});
  std::size_t left = 0;
  std::size_t low = 0;
  for (const auto& [x, y] : generator.points()) {
    left += x < 0.5;
    low += y < 0.5;
  }
  EXPECT_NEAR(static_cast<double>(left), 20'000, 500);  // five standard deviations
  EXPECT_NEAR(static_cast<double>(low), 20'000, 500);
  const double degree = 2.0 * static_cast<double>(edges_of(generator, generator.cells()).size()) / 40'000;
  EXPECT_NEAR(degree, 12, 0.4);  // points at the border have fewer neighbours
}

TEST(RandomGeometricGraph, SourceGivesTheSameEdgesToManyThreads) {
  const rgg_parameters p{.vertices = 10'000, .seed = 6, .scramble = true};
  rgg_source source(p, 16);
  EXPECT_EQ(source.declared_vertices().count, 10'000u);
  const std::vector<edge> together = perdure::test::drawn_by_threads(source, 4);
  const rgg_generator generator(p);
  EXPECT_EQ(sorted(together), sorted(edges_of(generator, generator.cells())));
  EXPECT_EQ(source.progress().done, generator.cells());
  edge_batch batch;
  EXPECT_FALSE(source.next(batch));
}

TEST(RandomGeometricGraph, RefusesParametersOutOfRange) {
  const auto code = [](const rgg_parameters& p) {
    try {
      rgg_generator generator(p);
    } catch (const perdure::error& e) {
      return e.code();
    }
    return perdure::errc{};
  };
  EXPECT_EQ(code({.vertices = 0}), perdure::errc::invalid_argument);
  EXPECT_EQ(code({.vertices = rgg_generator::max_vertices + 1}), perdure::errc::invalid_argument);
  EXPECT_EQ(code({.vertices = 100, .degree = -1}), perdure::errc::invalid_argument);
  EXPECT_EQ(code({.vertices = 100, .degree = std::nan("")}), perdure::errc::invalid_argument);
  EXPECT_EQ(code({.vertices = 100, .degree = 1000}), perdure::errc::invalid_argument);
}

}  // namespace
