#include <gtest/gtest.h>

#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>

#include "families.hpp"
#include "reference_graph.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

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
    for (const direction d : {direction::directed, direction::undirected}) {
      const model m = model_of(edges, d);
      const auto components = reference_components(edges);
      auto& g = graph_of(edges, d);
      for (const unsigned threads : {1u, 3u}) {
        const vertex_index index(g, threads);
        ASSERT_EQ(index.size(), m.size());
        for (const vertex_id source : {edges.front().source, edges.back().target}) {
          const auto expected = reference_levels(m, source);
          const bfs_result found = bfs(index, source, threads);
          EXPECT_EQ(found.reached, expected.size());
          std::map<vertex_id, std::uint32_t> levels;
          std::vector<std::uint64_t> histogram(found.histogram.size());
          for (vertex_handle h = 0; h < index.size(); ++h)
            if (found.levels[h] != unreached) {
              levels[index.id(h)] = found.levels[h];
              ++histogram.at(found.levels[h]);
            }
          EXPECT_EQ(levels, expected);
          EXPECT_EQ(histogram, found.histogram);
        }
        const component_result cc = connected_components(index, threads);
        std::map<vertex_id, vertex_id> labels;
        std::map<vertex_id, std::uint64_t> sizes;
        for (vertex_handle h = 0; h < index.size(); ++h) ++sizes[labels[index.id(h)] = cc.labels[h]];
        EXPECT_EQ(labels, components);
        EXPECT_EQ(cc.components, sizes.size());
        std::uint64_t largest = 0;
        for (const auto& [label, size] : sizes) largest = std::max(largest, size);
        EXPECT_EQ(cc.largest, largest);
      }
    }
  }

 private:
  Family memory_;
};
TYPED_TEST_SUITE(Algorithms, graph_families);

TYPED_TEST(Algorithms, IndexFindsEveryVertexAndNoOther) {
  for (const bool sparse : {false, true}) {
    const auto edges = random_edges(3, 5000, 4000, sparse);
    auto& g = this->graph_of(edges, direction::directed);
    const vertex_index index(g, 2);
    const model m = model_of(edges, direction::directed);
    std::vector<vertex_id> ordered;
    for (const vertex_handle h : index.in_id_order()) ordered.push_back(index.id(h));
    std::vector<vertex_id> expected;
    for (const auto& [v, list] : m) {
      expected.push_back(v);
      const vertex_handle h = index.find(v);
      ASSERT_NE(h, no_vertex);
      EXPECT_EQ(index.id(h), v);
      EXPECT_EQ(index.neighbours(h).size(), list.size());
    }
    EXPECT_EQ(ordered, expected);
    for (const vertex_id v : {vertex_id{4000}, ~vertex_id{0}, vertex_id{12345678901234}})
      EXPECT_EQ(index.find(v), no_vertex);
  }
}

TYPED_TEST(Algorithms, EmptyGraph) {
  auto& g = this->graph_of({}, direction::directed);
  const vertex_index index(g);
  EXPECT_EQ(connected_components(index).components, 0u);
  EXPECT_TRUE(index.in_id_order().empty());
  EXPECT_THROW(bfs(index, 0), perdure::error);
}

TYPED_TEST(Algorithms, SmallGraphs) {
  this->compare({{1, 1}});
  this->compare({{1, 2}, {3, 4}, {4, 3}, {~0ull, 5}});
  std::vector<edge> path;
  for (vertex_id v = 0; v < 3000; ++v) path.push_back({v * 5, v * 5 + 5});
  this->compare(path);
  std::vector<edge> star;
  for (vertex_id v = 1; v < 5000; ++v) star.push_back({v, 0});
  this->compare(star);
}

TYPED_TEST(Algorithms, RandomGraphs) {
  this->compare(random_edges(1, 3000, 4000, false));   // many components
  this->compare(random_edges(2, 30000, 6000, false));  // one large one
  this->compare(random_edges(3, 9000, 6000, true));
}

TYPED_TEST(Algorithms, SkewedGraph) {
  const rmat_parameters p{.scale = 12};
  std::vector<edge> edges(16u << 12);
  rmat_generator(p).generate(0, edges.size(), edges.data());
  this->compare(edges);
}

}  // namespace
