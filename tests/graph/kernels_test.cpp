// Kernels against naive computations on small graphs, and their verifiers against wrong answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/triangles.hpp>

#include "small_graphs.hpp"
#include "store/error_matcher.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using perdure::errc;
using perdure::fails_with;

constexpr int many = 2000;

/// A larger graph, in which threads meet.
memory_csr& skewed(direction kind, unsigned scale = 12) {
  static memory_csr graph;
  const rmat_generator generator({.scale = scale, .edge_factor = 8});
  std::vector<std::pair<edge, double>> weighted(generator.edges());
  std::vector<edge> edges(weighted.size());
  generator.generate(0, edges.size(), edges.data());
  for (std::size_t i = 0; i < edges.size(); ++i)
    weighted[i] = {edges[i], 1 + static_cast<double>(i * 7919 % 255)};
  weighted_source source(std::move(weighted));
  build_csr(graph, source, {.kind = kind, .with_weights = true, .threads = 2});
  return graph;
}

// --- PageRank ---

std::vector<double> naive_ranks(const matrix& m) {
  const auto n = static_cast<double>(m.size());
  std::vector<double> ranks(m.size(), 1 / n);
  for (int iteration = 0; iteration < 200; ++iteration) {
    std::vector<double> next(m.size(), 0.15 / n);
    for (std::size_t v = 0; v < m.size(); ++v) {
      double degree = 0;
      for (const unsigned arcs : m[v]) degree += arcs;
      for (std::size_t u = 0; u < m.size(); ++u)
        next[u] += 0.85 * ranks[v] * (degree == 0 ? 1 / n : m[v][u] / degree);
    }
    ranks = next;
  }
  return ranks;
}

TEST(PageRank, IsThatOfTheDefinition) {
  on_small_graphs(1, many, [](const auto& view, unsigned threads) {
    pagerank_result found = pagerank(view, {.threads = threads});
    const std::vector<double> expected = naive_ranks(matrix_of(view));
    ASSERT_EQ(found.ranks.size(), expected.size());
    for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(found.ranks[v], expected[v], 1e-9);
    EXPECT_EQ(verify_pagerank(view, found).value_or("right"), "right");
    if (view.size() < 2) return;
    found.ranks[0] += 1e-6;
    found.ranks[1] -= 1e-6;
    EXPECT_TRUE(verify_pagerank(view, found));
  });
}

TEST(PageRank, EndsWhereItIsTold) {
  for (const direction kind : {direction::directed, direction::undirected}) {
    const csr_view view = skewed(kind).view();
    const pagerank_result exact = pagerank(view, {.threads = 2});
    EXPECT_LE(exact.change, 1e-10);
    EXPECT_EQ(verify_pagerank(view, exact).value_or("right"), "right");
    const pagerank_result rough = pagerank(view, {.tolerance = 1e-3, .threads = 2});
    EXPECT_LT(rough.iterations, exact.iterations);
    double difference = 0;
    for (std::size_t v = 0; v < view.size(); ++v) difference += std::abs(rough.ranks[v] - exact.ranks[v]);
    EXPECT_LT(difference, 1e-2);
    EXPECT_EQ(pagerank(view, {.iterations = 3}).iterations, 3U);
  }
  EXPECT_TRUE(fails_with(errc::invalid_argument, "damping", [] { pagerank(csr_view{}, {.damping = 1}); }));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "tolerance", [] { pagerank(csr_view{}, {.tolerance = -1}); }));
}

// --- shortest paths ---

template <class View>
std::vector<double> naive_distances(const View& view, vertex_handle source) {
  std::vector<double> distances(view.size(), std::numeric_limits<double>::infinity());
  distances[source] = 0;
  for (std::size_t round = 0; round < view.size(); ++round)
    for (vertex_handle v = 0; v < view.size(); ++v)
      detail::visit_weighted(view, v, [&](vertex_handle u, double weight) {
        distances[u] = std::min(distances[u], distances[v] + weight);
      });
  return distances;
}

TEST(ShortestPaths, AreThoseOfBellmanAndFord) {
  std::mt19937_64 random(3);
  on_small_graphs(2, many, [&](const auto& view, unsigned threads) {
    if (view.size() == 0) return;
    const auto source = static_cast<vertex_handle>(random() % view.size());
    const double deltas[] = {0, 1, 0.001, 1e9};
    sssp_result found = sssp(view, source, {.delta = deltas[random() % 4], .threads = threads});
    EXPECT_EQ(found.distances, naive_distances(view, source));
    EXPECT_EQ(verify_sssp(view, source, found.distances).value_or("right"), "right");
    std::uint64_t reached = 0;
    for (const double distance : found.distances)
      if (std::isfinite(distance)) ++reached;
    EXPECT_EQ(found.summary.reached, reached);
    found.distances[random() % view.size()] += 1;
    if (reached == view.size()) {
      EXPECT_TRUE(verify_sssp(view, source, found.distances));
    }
  });
}

TEST(ShortestPaths, MayBeOfAnyLength) {
  for (const direction kind : {direction::directed, direction::undirected}) {
    const csr_view view = skewed(kind).view();
    for (const double delta : {0.0, 0.5, 100.0, 1e-300, std::numeric_limits<double>::infinity()}) {
      const sssp_result found = sssp(view, 0, {.delta = delta, .threads = 3});
      EXPECT_EQ(verify_sssp(view, 0, found.distances).value_or("right"), "right") << delta;
    }
  }
  const auto path_of = [](std::vector<double> weights) {
    std::vector<std::pair<edge, double>> edges;
    for (std::size_t i = 0; i < weights.size(); ++i) edges.emplace_back(edge{i, i + 1}, weights[i]);
    weighted_source source(edges);
    auto made = std::make_unique<memory_csr>();
    build_csr(*made, source, {.with_weights = true});
    return made;
  };
  const auto far = path_of({1e-300, 1e300, 1e290, 0, 5, 1e-5});
  EXPECT_EQ(sssp(far->view(), 0, {.delta = 1e-3}).distances.back(), 1e300 + 1e290);
  EXPECT_EQ(sssp(far->view(), 2).summary.reached, 5U);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs -1", [&] { sssp(path_of({1, -1})->view(), 0); }));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs nan", [&] { sssp(path_of({1, none})->view(), 0); }));
  EXPECT_TRUE(fails_with(errc::not_found, "not in the graph", [&] { sssp(far->view(), no_vertex); }));
  EXPECT_TRUE(fails_with(errc::not_found, "number 7", [&] { sssp(far->view(), 7); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "delta", [&] { sssp(far->view(), 0, {.delta = -1}); }));
}

// --- triangles ---

TEST(Triangles, AreThoseThatANaiveCountFinds) {
  on_small_graphs(4, many, [](const auto& view, unsigned threads) {
    const auto joined = simple_matrix(matrix_of(view));
    const std::size_t n = joined.size();
    std::vector<std::uint64_t> at(n);
    std::vector<double> coefficients(n);
    std::uint64_t all = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t c = 0; c < b; ++c)
          if (joined[a][b] != 0 && joined[b][c] != 0 && joined[a][c] != 0) {
            ++at[a];
            ++at[b];
            ++at[c];
            ++all;
          }
    double sum = 0;
    double pairs = 0;
    for (std::size_t v = 0; v < n; ++v) {
      const auto degree = static_cast<double>(std::count(joined[v].begin(), joined[v].end(), 1));
      coefficients[v] = degree < 2 ? 0 : static_cast<double>(at[v]) / (degree * (degree - 1) / 2);
      sum += coefficients[v];
      pairs += degree * (degree - 1) / 2;
    }
    EXPECT_EQ(count_triangles(view, threads), all);
    EXPECT_EQ(verify_triangles(view, all).value_or("right"), "right");
    EXPECT_TRUE(verify_triangles(view, all + 1));
    clustering_result found = clustering(view, threads);
    EXPECT_EQ(found.triangles, at);
    EXPECT_EQ(found.coefficients, coefficients);
    EXPECT_EQ(found.summary.triangles, all);
    EXPECT_NEAR(found.summary.average_clustering, n == 0 ? 0 : sum / static_cast<double>(n), 1e-12);
    EXPECT_NEAR(found.summary.transitivity, pairs == 0 ? 0 : 3 * static_cast<double>(all) / pairs, 1e-12);
    EXPECT_EQ(verify_triangles(view, found.triangles).value_or("right"), "right");
    if (n == 0) return;
    ++found.triangles[n / 2];
    EXPECT_TRUE(verify_triangles(view, found.triangles));
  });
}

TEST(Triangles, OfALargerGraph) {
  const csr_view view = skewed(direction::directed).view();
  EXPECT_EQ(verify_triangles(view, count_triangles(view, 3)).value_or("right"), "right");
  EXPECT_EQ(verify_triangles(view, clustering(view, 3).triangles).value_or("right"), "right");
}

}  // namespace
