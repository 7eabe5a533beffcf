#include <gtest/gtest.h>

#include <perdure/graph/edge_list.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>

#include "families.hpp"
#include "reference_graph.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

template <class Family>
class AdjacencyList : public testing::Test {
 protected:
  Family memory_;
};
TYPED_TEST_SUITE(AdjacencyList, graph_families);

TYPED_TEST(AdjacencyList, StartsEmpty) {
  auto& g = this->memory_.make(direction::directed);
  EXPECT_EQ(g.vertices(), 0u);
  EXPECT_EQ(g.edges(), 0u);
  EXPECT_EQ(g.arcs(), 0u);
  EXPECT_FALSE(g.contains(0));
  EXPECT_EQ(g.kind(), direction::directed);
}

TYPED_TEST(AdjacencyList, DirectedEdges) {
  auto& g = this->memory_.make(direction::directed);
  g.add_edge(7, 9);
  g.add_edge(7, 3);
  g.add_edge(7, 9);
  g.add_edge(5, 5);
  EXPECT_EQ(g.vertices(), 4u);
  EXPECT_EQ(g.edges(), 4u);
  EXPECT_EQ(g.arcs(), 4u);
  EXPECT_EQ(g.self_loops(), 1u);
  const auto list = as_span(*g.find(7));
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector<vertex_id>{9, 3, 9}));
  EXPECT_TRUE(g.contains(9));
  EXPECT_TRUE(g.find(9)->empty());
  EXPECT_EQ(g.find(8), nullptr);
}

TYPED_TEST(AdjacencyList, UndirectedEdges) {
  auto& g = this->memory_.make(direction::undirected);
  g.add_edge(1, ~0ull);
  g.add_edge(2, 2);
  EXPECT_EQ(g.vertices(), 3u);
  EXPECT_EQ(g.edges(), 2u);
  EXPECT_EQ(g.arcs(), 3u);
  EXPECT_EQ(as_span(*g.find(~0ull))[0], 1u);
  EXPECT_EQ(g.find(2)->size(), 1u);
}

TYPED_TEST(AdjacencyList, EqualsTheModelHoweverManyThreadsIngest) {
  for (const direction d : {direction::directed, direction::undirected})
    for (const bool sparse : {false, true}) {
      const auto edges = random_edges(17, 40000, 6000, sparse);
      const model expected = model_of(edges, d);
      for (const unsigned threads : {1u, 2u, 5u}) {
        auto& g = this->memory_.make(d);
        span_source source(edges, 777);
        const ingest_result r = ingest(g, source, {.threads = threads});
        EXPECT_EQ(r.edges, edges.size());
        EXPECT_TRUE(r.exhausted);
        EXPECT_EQ(g.edges(), edges.size());
        EXPECT_EQ(g.vertices(), expected.size());
        EXPECT_EQ(contents(g), expected);
      }
    }
}

TYPED_TEST(AdjacencyList, IngestsInPortions) {
  const rmat_parameters p{.scale = 12, .edge_factor = 8};
  rmat_source source(p, 1024);
  auto& g = this->memory_.make(direction::directed);
  std::uint64_t portions = 0;
  std::uint64_t sum = 0;
  for (ingest_result r; !r.exhausted; ++portions) {
    r = ingest(g, source, {.threads = 2, .max_edges = 5000});
    sum += r.edges;
    EXPECT_EQ(g.edges(), sum);
    EXPECT_LE(r.edges, 5000u + 2 * 1024);
  }
  EXPECT_EQ(sum, 8u << 12);
  EXPECT_GE(portions, 5u);

  std::vector<edge> all(8u << 12);
  rmat_generator(p).generate(0, all.size(), all.data());
  EXPECT_EQ(contents(g), model_of(all, direction::directed));
}

TYPED_TEST(AdjacencyList, BadInputLeavesAConsistentGraphAndNamesTheFirstError) {
  const perdure::scratch_directory dir;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  text.insert(text.find('\n', text.size() * 3 / 4) + 1, "x\n");
  text.insert(text.find('\n', text.size() / 2) + 1, "x\n");
  const auto line = static_cast<std::uint64_t>(std::count(
                        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('x')), '\n')) +
                    1;
  auto& g = this->memory_.make(direction::undirected);
  const auto source = open_edge_list(dir.write("bad.txt", text));
  try {
    ingest(g, *source, {.threads = 3});
    ADD_FAILURE();
  } catch (const perdure::workload::line_error& e) {
    EXPECT_EQ(e.line(), line);
  }
  std::uint64_t arcs = 0;
  for (const auto& [v, list] : contents(g)) arcs += list.size();
  EXPECT_EQ(arcs, g.arcs());
}

}  // namespace
