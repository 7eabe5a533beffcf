#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <optional>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/merge_duplicates.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/graph/vertex_names.hpp>
#include <random>
#include <tuple>

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

TYPED_TEST(AdjacencyList, DirectedEdgesAreKeptAtTheirSource) {
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

TYPED_TEST(AdjacencyList, UndirectedEdgesAreKeptAtBothEnds) {
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
  const auto source = open_graph_file(dir.write("bad.txt", text));
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

/// Edges with weights and times, handed out in batches.
class valued_source final : public edge_source {
 public:
  explicit valued_source(std::vector<std::tuple<vertex_id, vertex_id, double>> edges)
      : edges_(std::move(edges)) {}
  bool next(edge_batch& batch) override {
    batch.clear();
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < 7 && at_ < edges_.size(); ++i, ++at_) {
      const auto& [source, target, value] = edges_[at_];
      batch.edges.push_back({source, target});
      batch.values.push_back(value);
      batch.times.push_back(1000 + value);
    }
    return !batch.edges.empty();
  }
  perdure::workload::progress progress() const noexcept override { return {}; }
  id_range declared_vertices() const noexcept override { return {100, 3}; }

 private:
  std::mutex mutex_;
  std::vector<std::tuple<vertex_id, vertex_id, double>> edges_;
  std::size_t at_ = 0;
};

TYPED_TEST(AdjacencyList, ColumnsGoWithTheEdges) {
  using graph_type = typename TypeParam::graph_type;
  using family = typename graph_type::family;
  std::mt19937_64 random(5);
  for (const direction d : {direction::directed, direction::undirected})
    for (const duplicate_edges how : {duplicate_edges::keep, duplicate_edges::sum, duplicate_edges::last}) {
      auto& g = this->memory_.make(d);
      std::optional<edge_column<family>> weights;
      std::optional<edge_column<family>> times;
      if constexpr (std::is_default_constructible_v<typename graph_type::allocator_type>) {
        weights.emplace(1);
        times.emplace(0);
      } else {
        weights.emplace(1, g.get_allocator());
        times.emplace(0, g.get_allocator());
      }
      g.add_edge(1, 2);  // before there are columns
      weights->fill(g, 2);
      times->fill(g, 2);
      const edge_columns<family> columns{&*weights, &*times};
      std::map<std::pair<vertex_id, vertex_id>, std::vector<double>> expected;
      const auto expect = [&](vertex_id a, vertex_id b, double value) {
        expected[{a, b}].push_back(value);
        if (d == direction::undirected && a != b) expected[{b, a}].push_back(value);
      };
      expect(1, 2, 1);
      std::vector<std::tuple<vertex_id, vertex_id, double>> edges;
      for (int i = 0; i < 300; ++i) {
        edges.emplace_back(random() % 9, random() % 9, static_cast<double>(2 + i));
        std::apply(expect, edges.back());
      }
      valued_source source(edges);
      ingest(g, source, {.threads = how == duplicate_edges::last ? 1U : 4U}, columns);
      // Who adds to the list alone leaves the columns behind it: such an edge has what is missing.
      g.add_edge(3, 50);
      expect(3, 50, 1);
      {
        const vertex_index behind(g, 2, &*weights);
        for (const vertex_id v : {vertex_id{3}, vertex_id{50}})
          ASSERT_EQ(behind.weights(behind.find(v)).size(), behind.degree(behind.find(v)));
        EXPECT_EQ(behind.weights(behind.find(3)).back(), 1);
      }
      if (how == duplicate_edges::keep) {
        weights->fill(g, 2);
        times->fill(g, 2);
      }
      std::size_t loops = 0;
      std::size_t arcs = 0;
      if (how != duplicate_edges::keep) {
        EXPECT_THROW(merge_duplicates(g, columns, duplicate_edges::error, 2), perdure::error);
        for (auto& [key, values] : expected)
          values = {how == duplicate_edges::last ? values.back()
                                                 : std::accumulate(values.begin(), values.end(), 0.0)};
        merge_duplicates(g, columns, how, 3);
        merge_duplicates(g, columns, duplicate_edges::error, 2);
      }
      for (auto& [key, values] : expected) {
        arcs += values.size();
        loops += key.first == key.second ? values.size() : 0;
        std::vector<double> found;
        const auto neighbours = as_span(*g.find(key.first));
        const auto numbers = weights->find(key.first);
        const auto moments = times->find(key.first);
        ASSERT_EQ(numbers.size(), neighbours.size());
        ASSERT_EQ(moments.size(), neighbours.size());
        for (std::size_t i = 0; i < neighbours.size(); ++i)
          if (neighbours[i] == key.second) {
            found.push_back(numbers[i]);
            if (how != duplicate_edges::sum) {
              EXPECT_EQ(moments[i], numbers[i] == 1 ? 0 : 1000 + numbers[i]);
            }
          }
        std::sort(found.begin(), found.end());
        std::sort(values.begin(), values.end());
        EXPECT_EQ(found, values);
      }
      EXPECT_EQ(g.self_loops(), loops);
      EXPECT_EQ(g.arcs(), arcs);
      EXPECT_TRUE(g.contains(102));
      EXPECT_EQ(g.vertices(), 13U);
      const vertex_index index(g, 2, &*weights);
      EXPECT_TRUE(index.has_weights());
      EXPECT_EQ(index.weights(index.find(3)).size(), index.degree(index.find(3)));
    }
}

TEST(VertexNames, FindsEachNameByItsNumberAndBack) {
  vertex_names<std::allocator<std::byte>> names;
  EXPECT_EQ(names.find("x"), std::nullopt);
  for (int round = 0; round < 2; ++round)
    for (vertex_id i = 0; i < 10000; ++i) EXPECT_EQ(names.add("name " + std::to_string(i)), i);
  EXPECT_EQ(names.add(""), 10000U);
  EXPECT_EQ(names.size(), 10001U);
  for (vertex_id i = 0; i < 10000; ++i) {
    EXPECT_EQ(names.name(i), "name " + std::to_string(i));
    EXPECT_EQ(names.find(names.name(i)), i);
  }
  EXPECT_EQ(names.name(10000), "");
  EXPECT_EQ(names.find("name"), std::nullopt);
}

}  // namespace
