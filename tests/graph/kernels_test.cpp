// Kernels against naive computations on small graphs, and their verifiers against wrong answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/betweenness.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/core_numbers.hpp>
#include <perdure/graph/neighbourhood.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/shortest_path.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/strong_components.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/trusses.hpp>
#include <random>

#include "small_graphs.hpp"
#include "support/errors.hpp"

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

// PageRank adds up rows in another way for each type of them.
TEST(PageRank, IsThatOfTheDefinition) {
  on_each_view_of_small_graphs(1, many, [](const auto& view, unsigned threads) {
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
    EXPECT_EQ(verify_pagerank(view, rough).value_or("right"), "right");
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
  on_small_graphs(2, many, [&](const erased_view& view, unsigned threads) {
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
  EXPECT_EQ(sssp(far->view(), 0, {.delta = 1e-300}).distances.back(), 1e300 + 1e290);
  EXPECT_EQ(sssp(far->view(), 2).summary.reached, 5U);
  // From some vertex on distances are no numbers of 32 bits.
  EXPECT_EQ(sssp(path_of({16777215, 1, 1, 1})->view(), 0).distances,
            (std::vector<double>{0, 16777215, 16777216, 16777217, 16777218}));
  // By itself a step is as wide as the mean weight through the mean number of arcs, which is 1 at least.
  EXPECT_EQ(sssp(path_of({8, 4, 12})->view(), 0).summary.delta, 8);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs -1", [&] { sssp(path_of({1, -1})->view(), 0); }));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs nan", [&] { sssp(path_of({1, none})->view(), 0); }));
  EXPECT_TRUE(fails_with(errc::not_found, "not in the graph", [&] { sssp(far->view(), no_vertex); }));
  EXPECT_TRUE(fails_with(errc::not_found, "number 7", [&] { sssp(far->view(), 7); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "delta", [&] { sssp(far->view(), 0, {.delta = -1}); }));
}

// --- triangles ---

TEST(Triangles, AreThoseThatANaiveCountFinds) {
  on_small_graphs(4, many, [](const erased_view& view, unsigned threads) {
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

TEST(StrongComponents, AreOfVerticesThatReachEachOther) {
  on_small_graphs(5, many, [](const erased_view& view, unsigned threads) {
    const matrix m = matrix_of(view);
    const std::size_t n = m.size();
    auto reaches = m;
    for (std::size_t v = 0; v < n; ++v) reaches[v][v] = 1;
    for (std::size_t w = 0; w < n; ++w)
      for (std::size_t v = 0; v < n; ++v)
        for (std::size_t u = 0; u < n; ++u)
          if (reaches[v][w] != 0 && reaches[w][u] != 0) reaches[v][u] = 1;
    std::vector<vertex_handle> labels(n);
    std::vector<std::uint64_t> sizes(n);
    for (std::size_t v = 0; v < n; ++v) {
      std::size_t u = 0;
      while (reaches[v][u] == 0 || reaches[u][v] == 0) ++u;
      labels[v] = static_cast<vertex_handle>(u);
      ++sizes[u];
    }
    component_result found = strong_components(view, threads);
    EXPECT_EQ(found.labels, labels);
    EXPECT_EQ(found.summary.components,
              n - static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), 0)));
    EXPECT_EQ(found.summary.largest, n == 0 ? 0 : *std::max_element(sizes.begin(), sizes.end()));
    EXPECT_EQ(verify_strong_components(view, found.labels).value_or("right"), "right");
    if (n < 2) return;
    found.labels[n - 1] = found.labels[n - 1] == 0 ? static_cast<vertex_handle>(n - 1) : 0;
    EXPECT_TRUE(verify_strong_components(view, found.labels));
  });
}

TEST(StrongComponents, OfLargerGraphsAreRight) {
  const csr_view view = skewed(direction::directed).view();
  EXPECT_EQ(verify_strong_components(view, strong_components(view, 3).labels).value_or("right"), "right");
  // A long chain of circles, which is no work for many threads, and deeper than a thread's stack.
  std::vector<edge> edges;
  for (vertex_id v = 0; v < 200'000; ++v) {
    edges.push_back({v, v + 1});
    if (v % 4 == 3) edges.push_back({v, v - 3});
  }
  span_source source(edges);
  memory_csr chain;
  build_csr(chain, source, {});
  const component_result found = strong_components(chain.view(), 2);
  EXPECT_EQ(found.summary.components, 50'001U);
  EXPECT_EQ(found.summary.largest, 4U);
  EXPECT_EQ(verify_strong_components(chain.view(), found.labels).value_or("right"), "right");
}

// --- cores and trusses ---

TEST(Cores, AreWhatIsLeftWhenOthersAreTakenAway) {
  on_small_graphs(6, many, [](const erased_view& view, unsigned threads) {
    const auto joined = simple_matrix(matrix_of(view));
    const std::size_t n = joined.size();
    std::vector<std::uint32_t> cores(n);
    std::vector<char> left(n, 1);
    for (std::uint32_t k = 1; k <= n; ++k)
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t v = 0; v < n; ++v) {
          if (left[v] == 0) continue;
          unsigned degree = 0;
          for (std::size_t u = 0; u < n; ++u) degree += joined[v][u] != 0 && left[u] != 0 ? 1 : 0;
          if (degree >= k) continue;
          left[v] = 0;
          cores[v] = k - 1;
          changed = true;
        }
      }
    core_result found = core_numbers(view, threads);
    EXPECT_EQ(found.cores, cores);
    for (std::size_t k = 0; k < found.histogram.size(); ++k)
      EXPECT_EQ(found.histogram[k], static_cast<std::uint64_t>(std::count(cores.begin(), cores.end(), k)));
    EXPECT_EQ(verify_core_numbers(view, found.cores).value_or("right"), "right");
    if (n == 0) return;
    ++found.cores[n / 2];
    EXPECT_TRUE(verify_core_numbers(view, found.cores));
  });
}

TEST(Trusses, AreWhatIsLeftWhenOthersAreTakenAway) {
  on_small_graphs(7, many, [](const erased_view& view, unsigned threads) {
    const auto joined = simple_matrix(matrix_of(view));
    const std::size_t n = joined.size();
    auto left = joined;
    std::vector<truss_edge> expected;
    for (std::uint32_t k = 3; k <= n + 2; ++k)
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t a = 0; a < n; ++a)
          for (std::size_t b = a + 1; b < n; ++b) {
            if (left[a][b] == 0) continue;
            unsigned triangles = 0;
            for (std::size_t c = 0; c < n; ++c) triangles += left[a][c] != 0 && left[b][c] != 0 ? 1 : 0;
            if (triangles + 2 >= k) continue;
            left[a][b] = left[b][a] = 0;
            expected.push_back({static_cast<vertex_handle>(a), static_cast<vertex_handle>(b), k - 1});
            changed = true;
          }
      }
    std::sort(expected.begin(), expected.end(), [](const truss_edge& x, const truss_edge& y) {
      return std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    truss_result found = trusses(view, threads);
    EXPECT_EQ(found.edges, expected);
    std::uint32_t largest = 0;
    for (const truss_edge& one : expected) largest = std::max(largest, one.truss);
    EXPECT_EQ(found.largest(), largest);
    EXPECT_EQ(found.edges_of(2), expected.size());
    EXPECT_EQ(verify_trusses(view, found.edges).value_or("right"), "right");
    if (found.edges.empty()) return;
    ++found.edges[found.edges.size() / 2].truss;
    EXPECT_TRUE(verify_trusses(view, found.edges));
    --found.edges[found.edges.size() / 2].truss;
    ++found.edges.back().b;
    EXPECT_TRUE(verify_trusses(view, found.edges));
    found.edges.pop_back();
    EXPECT_TRUE(verify_trusses(view, found.edges));
  });
}

TEST(Trusses, AndCoresOfALargerGraphAreRight) {
  const csr_view view = skewed(direction::directed).view();
  EXPECT_EQ(verify_trusses(view, trusses(view, 4).edges).value_or("right"), "right");
  EXPECT_EQ(verify_core_numbers(view, core_numbers(view, 4).cores).value_or("right"), "right");
}

// --- communities ---

TEST(Communities, HaveTheModularityThatTheyAreSaidToHave) {
  on_small_graphs(8, many / 4, [](const erased_view& view, unsigned threads) {
    community_result found = louvain(view, {.threads = threads});
    EXPECT_EQ(verify_communities(view, found).value_or("right"), "right");
    // Not worse than all in one, or each alone.
    EXPECT_GE(found.summary.modularity, -1e-12);
    const community_result few = louvain(view, {.resolution = 0.5, .threads = threads});
    EXPECT_EQ(verify_communities(view, few, 0.5).value_or("right"), "right");
    const community_result labels = label_propagation(view, {.threads = threads});
    EXPECT_EQ(verify_communities(view, labels).value_or("right"), "right");
    found.summary.modularity += 1e-6;
    EXPECT_TRUE(verify_communities(view, found));
    found.summary.modularity -= 1e-6;
    ++found.summary.communities;
    EXPECT_TRUE(verify_communities(view, found));
    if (view.size() < 2) return;
    found.labels[0] = 1;
    EXPECT_TRUE(verify_communities(view, found));
  });
}

// The best of all ways to part the vertices.
TEST(Communities, AreNearlyTheBestOfTinyGraphs) {
  int best_found = 0;
  int rounds = 0;
  on_small_graphs(9, many, [&](const erased_view& view, unsigned) {
    if (view.size() > 7 || detail::knows_weights(view)) return;
    const auto joined = simple_matrix(matrix_of(view));
    const std::size_t n = joined.size();
    double best = 0;
    std::vector<std::size_t> part(n);
    const auto try_all = [&](auto&& self, std::size_t v, std::size_t parts) -> void {
      if (v < n) {
        for (part[v] = 0; part[v] <= parts; ++part[v]) self(self, v + 1, std::max(parts, part[v] + 1));
        return;
      }
      double all = 0;
      double within = 0;
      std::vector<double> volumes(n + 1);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
          if (joined[a][b] == 0) continue;
          ++all;
          ++volumes[part[a]];
          if (part[a] == part[b]) ++within;
        }
      if (all == 0) return;
      double modularity = within / all;
      for (const double volume : volumes) modularity -= volume / all * volume / all;
      best = std::max(best, modularity);
    };
    try_all(try_all, 0, 0);
    const double found = louvain(view).summary.modularity;
    EXPECT_LE(found, best + 1e-9);
    ++rounds;
    if (found > best - 1e-9) ++best_found;
  });
  EXPECT_GT(rounds, 100);
  EXPECT_GT(best_found, rounds * 8 / 10);
}

TEST(Communities, OfLargerGraphsAreRight) {
  // Circles of cliques: what a clique is, is a community.
  std::vector<edge> edges;
  constexpr vertex_id cliques = 300;
  constexpr vertex_id members = 6;
  for (vertex_id c = 0; c < cliques; ++c)
    for (vertex_id a = 0; a < members; ++a) {
      for (vertex_id b = 0; b < a; ++b) edges.push_back({c * members + a, c * members + b});
      if (a == 0) edges.push_back({c * members, (c + 1) % cliques * members + 1});
    }
  span_source source(edges);
  memory_csr graph;
  build_csr(graph, source, {.kind = direction::undirected});
  for (const unsigned threads : {1U, 3U}) {
    const community_result labels = label_propagation(graph.view(), {.threads = threads});
    EXPECT_EQ(verify_communities(graph.view(), labels).value_or("right"), "right");
    EXPECT_GT(labels.summary.modularity, 0.8);
    const community_result found = louvain(graph.view(), {.resolution = 10, .threads = threads});
    EXPECT_EQ(verify_communities(graph.view(), found, 10).value_or("right"), "right");
    EXPECT_NEAR(static_cast<double>(found.summary.communities), cliques, 3);
    const community_result skewed_found = louvain(skewed(direction::directed).view(), {.threads = threads});
    EXPECT_EQ(verify_communities(skewed(direction::directed).view(), skewed_found).value_or("right"),
              "right");
  }
  const std::vector<std::pair<edge, double>> bad{{{1, 2}, -1}};
  weighted_source wrong(bad);
  build_csr(graph, wrong, {.with_weights = true});
  EXPECT_TRUE(fails_with(errc::invalid_argument, "weighs -1", [&] { louvain(graph.view()); }));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "resolution", [&] { louvain(csr_view{}, {.resolution = -1}); }));
}

// Labels of the communities' parts, where each community's vertices are found from its first one.
std::vector<vertex_handle> connected_parts(const csr_view& view,
                                           const std::vector<vertex_handle>& communities) {
  std::vector<vertex_handle> parts(communities.size());
  std::iota(parts.begin(), parts.end(), vertex_handle{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (vertex_handle v = 0; v < view.size(); ++v)
      for (const vertex_handle u : view.neighbours(v)) {
        if (communities[u] != communities[v] || parts[u] == parts[v]) continue;
        parts[u] = parts[v] = std::min(parts[u], parts[v]);
        changed = true;
      }
  }
  return parts;
}

TEST(Communities, AreTheSameForAnyNumberOfThreadsAndConnected) {
  std::mt19937_64 random(4711);
  for (const double largest : {0.0, 1.0, 1000.0, 1e300}) {
    std::vector<std::pair<edge, double>> edges;
    for (int i = 0; i < 9000; ++i) {
      const vertex_id from = random() % 3000;
      edges.push_back(
          {{from, (from + random() % 40) % 3000}, static_cast<double>(random() % 1000) * largest / 1e3});
    }
    memory_csr graph;
    weighted_source source(edges);
    build_csr(graph, source, {.kind = direction::undirected, .with_weights = largest != 0});
    const csr_view view = graph.view();
    const community_result one = louvain(view, {.starts = 2});
    EXPECT_EQ(verify_communities(view, one).value_or("right"), "right");
    EXPECT_EQ(connected_parts(view, one.labels), one.labels);
    EXPECT_GT(one.summary.modularity, 0.8);
    const community_result labels = label_propagation(view);
    for (const unsigned threads : {2U, 5U}) {
      EXPECT_EQ(louvain(view, {.starts = 2, .threads = threads}).labels, one.labels) << largest;
      EXPECT_EQ(label_propagation(view, {.threads = threads}).labels, labels.labels) << largest;
    }
  }
}

// --- betweenness, paths, neighbourhoods ---

/// Numbers of arcs and of shortest paths between all pairs.
struct all_paths {
  std::vector<std::vector<unsigned>> distances;  // the number of vertices: none
  std::vector<std::vector<double>> counts;

  explicit all_paths(const matrix& m)
      : distances(m.size(), std::vector<unsigned>(m.size(), static_cast<unsigned>(m.size()))),
        counts(m.size(), std::vector<double>(m.size())) {
    const std::size_t n = m.size();
    for (std::size_t s = 0; s < n; ++s) {
      distances[s][s] = 0;
      counts[s][s] = 1;
      for (unsigned level = 0; level < n; ++level)
        for (std::size_t v = 0; v < n; ++v)
          for (std::size_t u = 0; u < n; ++u) {
            if (distances[s][v] != level || m[v][u] == 0 || u == v || distances[s][u] <= level) continue;
            distances[s][u] = level + 1;
            counts[s][u] += counts[s][v];
          }
    }
  }
};

TEST(Betweenness, IsThatOfTheDefinition) {
  on_small_graphs(10, many, [](const erased_view& view, unsigned threads) {
    const matrix m = matrix_of(view);
    const std::size_t n = m.size();
    const all_paths paths(m);
    std::vector<double> expected(n);
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t t = 0; t < n; ++t)
        for (std::size_t v = 0; v < n; ++v)
          if (s != t && v != s && v != t && paths.counts[s][t] > 0 &&
              paths.distances[s][v] + paths.distances[v][t] == paths.distances[s][t])
            expected[v] +=
                paths.counts[s][v] * paths.counts[v][t] / paths.counts[s][t] / (view.symmetric() ? 2 : 1);
    betweenness_result found = betweenness(view, {.threads = threads});
    ASSERT_EQ(found.scores.size(), n);
    for (std::size_t v = 0; v < n; ++v) EXPECT_NEAR(found.scores[v], expected[v], 1e-9);
    EXPECT_EQ(verify_betweenness(view, found).value_or("right"), "right");
    const betweenness_result sampled = betweenness(view, {.samples = 5, .threads = threads});
    EXPECT_EQ(sampled.sources.size(), std::min<std::size_t>(n, 5));
    EXPECT_EQ(verify_betweenness(view, sampled).value_or("right"), "right");
    if (n == 0) return;
    found.scores[0] += 1;
    EXPECT_TRUE(verify_betweenness(view, found));
  });
}

TEST(Betweenness, IsEstimatedBySamples) {
  const csr_view view = skewed(direction::undirected, 10).view();
  const betweenness_result exact = betweenness(view, {.threads = 2});
  const betweenness_result sampled = betweenness(view, {.samples = 200, .threads = 2});
  const auto highest = std::max_element(exact.scores.begin(), exact.scores.end()) - exact.scores.begin();
  const auto v = static_cast<std::size_t>(highest);
  EXPECT_NEAR(sampled.scores[v], exact.scores[v], 0.3 * exact.scores[v]);
}

TEST(ShortestPath, IsAsShortAsTheDistance) {
  std::mt19937_64 random(11);
  on_small_graphs(11, many, [&](const erased_view& view, unsigned) {
    if (view.size() == 0) return;
    const auto from = static_cast<vertex_handle>(random() % view.size());
    const auto to = static_cast<vertex_handle>(random() % view.size());
    path_result found = shortest_path(view, from, to);
    const double distance = naive_distances(view, from)[to];
    EXPECT_EQ(found.vertices.empty(), std::isinf(distance));
    if (!found.vertices.empty()) {
      EXPECT_EQ(found.distance, distance);
    }
    EXPECT_EQ(verify_path(view, from, to, found).value_or("right"), "right");
    if (found.vertices.empty()) {
      found = {{from, to}, 1};
    } else {
      found.distance += 1;
    }
    EXPECT_TRUE(verify_path(view, from, to, found));
  });
  EXPECT_TRUE(
      fails_with(errc::not_found, "not in the graph", [] { shortest_path(csr_view{}, 0, no_vertex); }));
}

TEST(Neighbourhood, IsWhatIsNearEnough) {
  std::mt19937_64 random(12);
  on_small_graphs(12, many, [&](const erased_view& view, unsigned) {
    if (view.size() == 0) return;
    const auto v = static_cast<vertex_handle>(random() % view.size());
    const std::uint64_t hops = random() % 4;
    const all_paths paths(matrix_of(view));
    neighbourhood_result found = neighbourhood(view, v, hops);
    std::size_t within = 0;
    for (const unsigned distance : paths.distances[v])
      if (distance <= hops && distance < view.size()) ++within;
    EXPECT_EQ(found.vertices.size(), within);
    found.each([&](vertex_handle u, std::uint64_t hop) { EXPECT_EQ(paths.distances[v][u], hop); });
    EXPECT_EQ(verify_neighbourhood(view, v, hops, found).value_or("right"), "right");
    found.vertices.push_back(v);
    EXPECT_TRUE(verify_neighbourhood(view, v, hops, found));
  });
  EXPECT_TRUE(
      fails_with(errc::not_found, "not in the graph", [] { neighbourhood(csr_view{}, no_vertex, 1); }));
}

TEST(ShortestPath, AndNeighbourhoodInALargerGraphAreRight) {
  std::mt19937_64 random(13);
  for (const direction kind : {direction::directed, direction::undirected}) {
    csr_view view = skewed(kind).view();
    view.arc_weights = {};
    for (int round = 0; round < 30; ++round) {
      const auto from = static_cast<vertex_handle>(random() % view.size());
      const auto to = static_cast<vertex_handle>(random() % view.size());
      EXPECT_EQ(verify_path(view, from, to, shortest_path(view, from, to)).value_or("right"), "right");
      const std::uint64_t hops = random() % 5;
      const neighbourhood_result found = neighbourhood(view, from, hops);
      EXPECT_EQ(verify_neighbourhood(view, from, hops, found).value_or("right"), "right");
    }
  }
}

TEST(Triangles, OfALargerGraphAreRight) {
  const csr_view view = skewed(direction::directed).view();
  EXPECT_EQ(verify_triangles(view, count_triangles(view, 3)).value_or("right"), "right");
  EXPECT_EQ(verify_triangles(view, clustering(view, 3).triangles).value_or("right"), "right");
}

}  // namespace
