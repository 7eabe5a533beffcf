// Kernels against plain sequential answers, on all that is a graph view.
#include <gtest/gtest.h>

#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/vertex_index.hpp>

#include "families.hpp"
#include "reference_graph.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

static_assert(named_view<vertex_index> && named_view<csr_view>);
static_assert(incoming_view<csr_view> && !incoming_view<vertex_index>);
static_assert(weighted_view<csr_view> && weighted_view<vertex_index>);

/// Searches, compares with what `m` says, and lets the verifiers judge.
template <class View>
void expect_levels(const View& view, const model& m, vertex_id source, unsigned threads) {
  const vertex_handle start = view.find(source);
  ASSERT_NE(start, no_vertex);
  const auto expected = reference_levels(m, source);
  bfs_result found = bfs(view, start, threads);
  EXPECT_EQ(levels_by_id(view, found.levels), expected);
  EXPECT_EQ(found.summary.reached, expected.size());
  std::vector<std::uint64_t> histogram;
  std::uint64_t arcs = 0;
  for (const auto& [v, level] : expected) {
    if (histogram.size() <= level) histogram.resize(level + 1);
    ++histogram[level];
    arcs += view.degree(view.find(v));
  }
  EXPECT_EQ(found.summary.histogram, histogram);
  EXPECT_EQ(found.summary.arcs, arcs);
  EXPECT_EQ(verify_bfs(view, start, found.levels, found.parents).value_or("right"), "right");

  // What is wrong is seen.
  const std::size_t some = (start + 1) % view.size();
  ++found.levels[some];
  EXPECT_TRUE(verify_bfs(view, start, found.levels));
  --found.levels[some];
  found.parents[start] = no_vertex;
  EXPECT_TRUE(verify_bfs(view, start, found.levels, found.parents));
}

template <class View>
void expect_components(const View& view, const std::vector<edge>& edges, unsigned threads) {
  component_result found = connected_components(view, threads);
  const std::vector<vertex_id> ids = component_ids(view, found.labels);
  std::map<vertex_id, vertex_id> labels;
  std::map<vertex_id, std::uint64_t> sizes;
  for (vertex_handle v = 0; v < view.size(); ++v) {
    EXPECT_LE(found.labels[v], v);
    ++sizes[labels[view.id(v)] = ids[v]];
  }
  EXPECT_EQ(labels, reference_components(edges));
  EXPECT_EQ(found.summary.components, sizes.size());
  std::uint64_t largest = 0;
  for (const auto& [label, size] : sizes) largest = std::max(largest, size);
  EXPECT_EQ(found.summary.largest, largest);
  EXPECT_EQ(verify_components(view, found.labels).value_or("right"), "right");

  if (view.size() < 2) return;
  found.labels[0] = found.labels[view.size() - 1] == 0 ? static_cast<vertex_handle>(view.size() - 1)
                                                       : found.labels[view.size() - 1];
  EXPECT_TRUE(verify_components(view, found.labels));
}

template <class View>
void expect_answers(const View& view, const std::vector<edge>& edges, direction d, unsigned threads) {
  const model m = model_of(edges, d);
  ASSERT_EQ(view.size(), m.size());
  for (const vertex_id source : {edges.front().source, edges.back().target})
    expect_levels(view, m, source, threads);
  expect_components(view, edges, threads);
}

void expect_csr_answers(const std::vector<edge>& edges, direction d, unsigned threads) {
  for (const vertex_order order : {vertex_order::by_id, vertex_order::by_degree})
    for (const bool with_incoming : {false, true}) {
      if (with_incoming && d == direction::undirected) continue;
      memory_csr graph;
      span_source source(edges, 100);
      build_csr(graph, source,
                {.kind = d,
                 .drop_loops = true,
                 .drop_duplicates = true,
                 .with_incoming = with_incoming,
                 .order = order,
                 .threads = threads});
      expect_answers(graph.view(), edges, d, threads);
    }
}

template <class Family>
class Algorithms : public testing::Test {
 protected:
  auto& graph_of(const std::vector<edge>& edges, direction d) {
    auto& g = memory_.make(d);
    span_source source(edges);
    ingest(g, source);
    return g;
  }
  void compare(const std::vector<edge>& edges) {
    for (const direction d : {direction::directed, direction::undirected})
      expect_answers(vertex_index(graph_of(edges, d), 3), edges, d, 3);
  }

 private:
  Family memory_;
};
// A `vertex_index` of any family is of the same type; adjacency_list_test.cpp makes one of each.
using families = testing::Types<in_memory<std_containers<standard_allocator>>, in_heap<store_containers>>;
TYPED_TEST_SUITE(Algorithms, families);

TYPED_TEST(Algorithms, IndexFindsEveryVertexAndNoOther) {
  for (const bool sparse : {false, true}) {
    const auto edges = random_edges(3, 5000, 4000, sparse);
    auto& g = this->graph_of(edges, direction::directed);
    const vertex_index index(g, 2);
    const model m = model_of(edges, direction::directed);
    EXPECT_EQ(contents_of_view(index), m);
    std::vector<vertex_id> ordered;
    for (const vertex_handle h : index.in_id_order()) ordered.push_back(index.id(h));
    std::vector<vertex_id> expected;
    for (const auto& [v, list] : m) {
      expected.push_back(v);
      const vertex_handle h = index.find(v);
      ASSERT_NE(h, no_vertex);
      EXPECT_EQ(index.id(h), v);
      EXPECT_EQ(index.degree(h), list.size());
      EXPECT_EQ(index.neighbour_ids(h).size(), list.size());
    }
    EXPECT_EQ(ordered, expected);
    for (const vertex_id v : {vertex_id{4000}, ~vertex_id{0}, vertex_id{12345678901234}})
      EXPECT_EQ(index.find(v), no_vertex);
  }
}

TYPED_TEST(Algorithms, AnEmptyGraphHasNoAnswers) {
  auto& g = this->graph_of({}, direction::directed);
  const vertex_index index(g);
  EXPECT_EQ(connected_components(index).summary.components, 0u);
  EXPECT_TRUE(index.in_id_order().empty());
  EXPECT_THROW(bfs(index, 0), perdure::error);
}

TYPED_TEST(Algorithms, AnswersOnSmallGraphsEqualTheReference) {
  this->compare({{1, 1}});
  this->compare({{1, 2}, {3, 4}, {4, 3}, {~0ull, 5}});
  std::vector<edge> star;
  for (vertex_id v = 1; v < 5000; ++v) star.push_back({v, 0});
  this->compare(star);
}

TYPED_TEST(Algorithms, AnswersOnRandomGraphsEqualTheReference) {
  this->compare(random_edges(1, 3000, 4000, false));   // many components
  this->compare(random_edges(2, 30000, 6000, false));  // one large one
  this->compare(random_edges(3, 9000, 6000, true));
}

// What is in the paths of the search: queues, sets of bits, the way from one to the other and back.
TEST(Kernels, AnswersOnGraphsOfAllShapesEqualTheReference) {
  std::vector<std::vector<edge>> shapes;
  shapes.push_back({{1, 1}});
  shapes.push_back({{0, 1}});
  auto& path = shapes.emplace_back();
  for (vertex_id v = 0; v < 3000; ++v) path.push_back({v * 5, v * 5 + 5});
  auto& star = shapes.emplace_back();
  for (vertex_id v = 1; v < 5000; ++v) star.push_back({v, 0});
  auto& outward_star = shapes.emplace_back();
  for (vertex_id v = 1; v < 5000; ++v) outward_star.push_back({0, v});
  auto& tree = shapes.emplace_back();
  for (vertex_id v = 1; v < 10000; ++v) tree.push_back({(v - 1) / 3, v});
  auto& grid = shapes.emplace_back();
  for (vertex_id y = 0; y < 60; ++y)
    for (vertex_id x = 0; x < 60; ++x) {
      grid.push_back({y * 100 + x, y * 100 + x + 1});
      grid.push_back({y * 100 + x, y * 100 + x + 100});
    }
  // A star whose rays end in stars, behind a path.
  auto& bursts = shapes.emplace_back();
  for (vertex_id v = 0; v < 20; ++v) bursts.push_back({v, v + 1});
  for (vertex_id ray = 0; ray < 300; ++ray) {
    bursts.push_back({20, 1000 * (ray + 1)});
    for (vertex_id v = 1; v < 40; ++v) bursts.push_back({1000 * (ray + 1), 1000 * (ray + 1) + v});
  }
  auto& skewed = shapes.emplace_back(16u << 12);
  rmat_generator({.scale = 12}).generate(0, skewed.size(), skewed.data());
  for (const std::vector<edge>& edges : shapes)
    for (const direction d : {direction::directed, direction::undirected})
      for (const unsigned threads : {1U, 4U}) expect_csr_answers(edges, d, threads);
}

TEST(Kernels, AnswersOnManySmallRandomGraphsEqualTheReference) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 150; ++round) {
    const std::uint64_t ids = 1 + random() % 150;
    const bool sparse = random() % 3 == 0;
    std::vector<edge> edges = random_edges(random(), 1 + random() % 300, ids, sparse);
    if (random() % 4 == 0) edges.push_back({std::uint64_t{1} << 63, 0});
    if (random() % 4 == 0) edges.push_back({5000, 5000});  // a vertex without other neighbours
    const direction d = random() % 2 == 0 ? direction::directed : direction::undirected;
    expect_csr_answers(edges, d, static_cast<unsigned>(1 + random() % 3));
    adjacency_list<std_containers<standard_allocator>> list(d);
    span_source source(edges);
    ingest(list, source);
    expect_answers(vertex_index(list), edges, d, 2);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Kernels, WorkWithTheCallersArraysOnly) {
  memory_csr graph;
  const std::vector<edge> edges = random_edges(5, 4000, 1000, false);
  span_source source(edges);
  build_csr(graph, source, {.kind = direction::undirected});
  const std::size_t n = graph.vertices();
  const bfs_result expected = bfs(graph.view(), 1);
  std::vector<std::uint32_t> levels(n + 7, 4711);
  std::vector<vertex_handle> parents(n, 4711);
  std::vector<std::byte> scratch(bfs_arrays::scratch_bytes(n) + 8, std::byte{255});
  // Neither is needed, and neither what was there before matters.
  EXPECT_EQ(bfs(graph.view(), 1, {levels, {}, scratch}, 2).histogram, expected.summary.histogram);
  EXPECT_TRUE(std::equal(expected.levels.begin(), expected.levels.end(), levels.begin()));
  EXPECT_EQ(levels.back(), 4711U);
  EXPECT_EQ(bfs(graph.view(), 1, {{}, parents, scratch}, 2).reached, expected.summary.reached);
  EXPECT_EQ(verify_bfs(graph.view(), 1, expected.levels, parents).value_or("right"), "right");
  EXPECT_EQ(bfs(graph.view(), 1, {{}, {}, scratch}).arcs, expected.summary.arcs);

  using perdure::fails_with;
  EXPECT_TRUE(fails_with(perdure::errc::not_found, "number 100000", [&] {
    bfs(graph.view(), 100'000, {levels, parents, scratch});
  }));
  EXPECT_TRUE(fails_with(perdure::errc::not_found, "not in the graph",
                         [&] { bfs(graph.view(), graph.view().find(12345), 1); }));
  EXPECT_TRUE(fails_with(perdure::errc::not_found, "", [&] { bfs(csr_view{}, 0); }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "shorter", [&] {
    bfs(graph.view(), 1, {std::span(levels).first(10), parents, scratch});
  }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "shorter", [&] {
    bfs(graph.view(), 1, {levels, parents, std::span(scratch).first(10)});
  }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "multiple of 8", [&] {
    bfs(graph.view(), 1, {levels, parents, std::span(scratch).subspan(1)});
  }));
  EXPECT_TRUE(fails_with(perdure::errc::invalid_argument, "shorter",
                         [&] { label_components(graph.view(), std::span(parents).first(10)); }));
}

}  // namespace
