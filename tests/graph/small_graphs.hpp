// Thousands of small graphs of all kinds, and what naive computations look at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/patched_csr.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <random>
#include <utility>
#include <vector>

#include "erased_view.hpp"
#include "families.hpp"
#include "reference_graph.hpp"
#include "weighted_source.hpp"

namespace perdure::test {

/// For each two vertices the number of arcs from the one to the other.
using matrix = std::vector<std::vector<unsigned>>;

template <graph::graph_view Graph>
matrix matrix_of(const Graph& g) {
  matrix m(g.size(), std::vector<unsigned>(g.size()));
  for (graph::vertex_handle v = 0; v < g.size(); ++v)
    for (const graph::vertex_handle u : g.neighbours(v)) ++m[v][u];
  return m;
}

/// Whether they are joined in the underlying simple graph.
inline std::vector<std::vector<char>> simple_matrix(const matrix& m) {
  std::vector<std::vector<char>> joined(m.size(), std::vector<char>(m.size()));
  for (std::size_t v = 0; v < m.size(); ++v)
    for (std::size_t u = 0; u < m.size(); ++u)
      if (u != v && (m[v][u] != 0 || m[u][v] != 0)) joined[v][u] = joined[u][v] = 1;
  return joined;
}

/// Calls `check(view, threads)` with each type of view, for graphs of up to 20 vertices: directed or not,
/// with and without loops, repeated edges, weights, vertices in no edge, arcs known from both ends, in
/// arrays, in arrays with additions, and in lists; and empty ones. Weights are multiples of a quarter, some
/// of them 0.
template <class Check>
void on_each_view_of_small_graphs(std::uint64_t seed, int rounds, Check&& check) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t ids = 1 + random() % 20;
    const std::vector<edge> edges =
        random_edges(random(), random() % (random() % 4 == 0 ? 120 : 30), ids, random() % 5 == 0);
    const graph::direction kind =
        random() % 2 == 0 ? graph::direction::directed : graph::direction::undirected;
    const auto threads = static_cast<unsigned>(1 + random() % 3);
    if (random() % 5 == 0) {
      graph::adjacency_list<graph::std_containers<standard_allocator>> list(kind);
      graph::span_source source(edges);
      ingest(list, source);
      check(graph::vertex_index(list), threads);
    } else {
      std::vector<std::pair<edge, double>> weighted;
      weighted.reserve(edges.size());
      for (const edge& e : edges) weighted.emplace_back(e, static_cast<double>(random() % 40) / 4);
      const bool is_patched = random() % 4 == 0;
      // All, or what comes first.
      const std::size_t first = is_patched ? random() % (edges.size() + 1) : edges.size();
      const std::size_t second = is_patched ? first + random() % (edges.size() - first + 1) : first;
      weighted_source source({weighted.begin(), weighted.begin() + static_cast<std::ptrdiff_t>(first)});
      graph::memory_csr made;
      build_csr(made, source,
                {.kind = kind,
                 .drop_loops = random() % 2 == 0,  // their vertices may be in no other edge
                 .drop_duplicates = random() % 2 == 0,
                 .with_incoming = random() % 2 == 0,
                 .with_weights = random() % 2 == 0,
                 .order = random() % 2 == 0 ? graph::vertex_order::by_id : graph::vertex_order::by_degree});
      if (is_patched) {
        graph::csr_patch<std::allocator<std::byte>> patch;
        graph::csr_delta<std::allocator<std::byte>> stored;
        graph::csr_delta<std::allocator<std::byte>> delta;
        for (std::size_t i = first; i < edges.size(); ++i)
          (i < second ? stored : delta).add({&edges[i], 1}, {&weighted[i].second, 1}, 1);
        patch.begin(made.view());
        patch.add(made.view(), stored);
        check(graph::patched_csr(made.view(), patch, delta).view(), threads);
      } else {
        check(made.view(), threads);
      }
    }
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

/// Calls `check(view, threads)` for the same graphs. The kernels that it calls are compiled for one type of
/// view.
inline void on_small_graphs(std::uint64_t seed, int rounds,
                            const std::function<void(const erased_view& view, unsigned threads)>& check) {
  on_each_view_of_small_graphs(
      seed, rounds, [&check](const auto& view, unsigned threads) { check(erased(view), threads); });
}

/// Array by array; but an order by ids may be an array, or that of the handles.
inline void expect_identical(const graph::csr_view& made, const graph::csr_view& expected) {
  EXPECT_EQ(made.kind, expected.kind);
  EXPECT_TRUE(std::ranges::equal(made.offsets, expected.offsets));
  EXPECT_TRUE(std::ranges::equal(made.targets, expected.targets));
  EXPECT_TRUE(std::ranges::equal(made.in_offsets, expected.in_offsets));
  EXPECT_TRUE(std::ranges::equal(made.in_targets, expected.in_targets));
  EXPECT_TRUE(std::ranges::equal(made.ids, expected.ids));
  EXPECT_EQ(made.in_id_order(), expected.in_id_order());
  EXPECT_TRUE(std::ranges::equal(made.arc_weights, expected.arc_weights));
}

}  // namespace perdure::test
