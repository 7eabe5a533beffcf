// A graph in a store: found again, grown, asked, in relocatable and in pinned stores.
#include <gtest/gtest.h>

#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/properties.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/manager.hpp>

#include "reference_graph.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;
using perdure::create_only;
using perdure::errc;
using perdure::open_only;
using perdure::open_read_only;

template <class Family, class Manager>
struct stored {
  using graph_type = adjacency_list<Family>;
  using manager = Manager;
};

template <class Stored>
class GraphInStore : public testing::Test {
 protected:
  static perdure::store_options options() {
    perdure::store_options o;
    o.capacity = std::size_t{16} << 30;
    o.pinned = std::is_same_v<typename Stored::manager, perdure::pinned_manager>;
    return o;
  }
  perdure::scratch_directory dir_;
};

using stored_types =
    testing::Types<stored<store_containers, perdure::manager>,
                   stored<std_containers<perdure::pinned_allocator>, perdure::pinned_manager>,
                   stored<flat_containers<perdure::pinned_allocator>, perdure::pinned_manager>>;
TYPED_TEST_SUITE(GraphInStore, stored_types);

TYPED_TEST(GraphInStore, IsFoundAgainAndGrows) {
  using graph_type = typename TypeParam::graph_type;
  using manager = typename TypeParam::manager;
  const auto path = this->dir_ / "store";
  std::vector<edge> all(16u << 12);
  rmat_generator({.scale = 12}).generate(0, all.size(), all.data());
  const std::span<const edge> first(all.data(), all.size() / 3);
  const std::span<const edge> second(all.data() + first.size(), all.size() - first.size());
  {
    manager m(create_only, path, this->options());
    auto* g = m.template construct<graph_type>("graph")(direction::undirected);
    span_source source(first);
    ingest(*g, source, {.threads = 2});
    m.close();
  }
  {
    manager m(open_only, path);
    auto [g, length] = m.template find<graph_type>("graph");
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(g->edges(), first.size());
    EXPECT_TRUE(g->undirected());
    EXPECT_EQ(contents(*g), model_of({first.begin(), first.end()}, direction::undirected));
    span_source source(second);
    ingest(*g, source, {.threads = 2});
    m.close();
  }
  const manager m(open_read_only, path);
  const auto* g = m.template find<graph_type>("graph").first;
  ASSERT_NE(g, nullptr);
  EXPECT_EQ(contents(*g), model_of(all, direction::undirected));
  const vertex_index index(*g, 2);
  const auto expected = reference_levels(model_of(all, direction::undirected), all[0].source);
  EXPECT_EQ(bfs(index, index.find(all[0].source), 2).summary.reached, expected.size());
  EXPECT_TRUE(m.check().empty());
}

TYPED_TEST(GraphInStore, ComesBackAsOfTheLastCheckpoint) {
  using graph_type = typename TypeParam::graph_type;
  using manager = typename TypeParam::manager;
  const auto path = this->dir_ / "store";
  const auto edges = random_edges(5, 40000, 3000, false);
  std::uint64_t committed = 0;
  {
    manager m(create_only, path, this->options());
    auto* g = m.template construct<graph_type>("graph")(direction::directed);
    span_source source(edges, 1000);
    ingest(*g, source, {.max_edges = 15000});
    m.checkpoint();
    committed = g->edges();
    ingest(*g, source);
    m.discard();
  }
  manager m(open_only, path);
  auto* g = m.template find<graph_type>("graph").first;
  ASSERT_NE(g, nullptr);
  EXPECT_EQ(g->edges(), committed);
  EXPECT_EQ(contents(*g), model_of({edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(committed)},
                                   direction::directed));
  EXPECT_TRUE(m.check().empty());
  EXPECT_TRUE(m.template destroy<graph_type>("graph"));
  EXPECT_TRUE(m.check().empty());
}

TEST(GraphInStoreErrors, AnotherContainerFamilyIsAnotherType) {
  const perdure::scratch_directory dir;
  perdure::store_options options;
  options.capacity = std::size_t{1} << 30;
  options.pinned = true;
  perdure::pinned_manager m(create_only, dir / "store", options);
  m.construct<adjacency_list<flat_containers<perdure::pinned_allocator>>>("graph")(direction::directed);
  try {
    m.find<adjacency_list<std_containers<perdure::pinned_allocator>>>("graph");
    ADD_FAILURE();
  } catch (const perdure::error& e) {
    EXPECT_EQ(e.code(), errc::wrong_type);
  }
}

TEST(GraphInStoreErrors, CapacityUsedUpLeavesTheLastCheckpoint) {
  const perdure::scratch_directory dir;
  perdure::store_options options;
  options.capacity = std::size_t{1} << 30;
  std::uint64_t committed = 0;
  {
    perdure::manager m(create_only, dir / "store", options);
    auto* g = m.construct<adjacency_list<store_containers>>("graph")(direction::directed);
    rmat_source source({.scale = 30});
    ingest(*g, source, {.max_edges = 100000});
    m.checkpoint();
    committed = g->edges();
    m.allocate(std::size_t{975} << 20);  // so that less is to be filled, all of it at random
    EXPECT_THROW(ingest(*g, source, {.threads = 2}), std::bad_alloc);
    m.discard();
  }
  const perdure::manager m(open_read_only, dir / "store");
  EXPECT_EQ(m.find<adjacency_list<store_containers>>("graph").first->edges(), committed);
}

TEST(GraphProperties, AreArraysOfTheStore) {
  const perdure::scratch_directory dir;
  const std::vector<edge> some{{1, 2}, {2, 3}, {3, 3}};
  {
    perdure::manager store(create_only, dir / "s");
    stored_csr& g = *store.construct<stored_csr>("web")();
    span_source source(some);
    build_csr(g, source, {.kind = direction::undirected});
    perdure::array_store arrays(store);
    properties of_web(arrays, "web", g.view());
    of_web.set_vertices<float>("rank", std::vector<float>{0.5F, 0.25F, 0.25F});
    of_web.set_edges<std::int64_t>("since", std::vector<std::int64_t>{10, 10, 20, 20, 30});
    EXPECT_THROW(of_web.set_vertices<float>("rank", std::vector<float>{1}), perdure::error);
    store.checkpoint();
  }
  perdure::manager store(open_only, dir / "s");
  perdure::array_store arrays(store);
  EXPECT_EQ(arrays.list(), (std::vector<std::string>{"web/edges/since", "web/vertices/rank"}));
  stored_csr& g = *store.find<stored_csr>("web").first;
  const properties of_web(arrays, "web", g.view());
  EXPECT_EQ(of_web.vertices<float>("rank")(1), 0.25F);
  EXPECT_EQ(of_web.edges<std::int64_t>("since")(4), 30);
  EXPECT_EQ(of_web.vertex_properties(), (std::vector<std::string>{"web/vertices/rank"}));
  EXPECT_THROW(of_web.vertices<double>("rank"), perdure::error);
  EXPECT_THROW(of_web.vertices<float>("age"), perdure::error);
  span_source one(std::span<const edge>(some).first(1));
  build_csr(g, one, {.kind = direction::undirected});
  EXPECT_THROW(properties(arrays, "web", g.view()).vertices<float>("rank"), perdure::error);
}

}  // namespace
