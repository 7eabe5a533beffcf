// Graphs in two arrays, and searches that go through them as if they were larger than memory.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <perdure/error.hpp>
#include <perdure/graph/boost_containers.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/external_bfs.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/pager.hpp>

#include "families.hpp"
#include "reference_graph.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

std::vector<edge> rmat_edges(unsigned scale) {
  const rmat_generator generator(rmat_parameters{.scale = scale, .edge_factor = 8});
  std::vector<edge> edges(generator.edges());
  generator.generate(0, edges.size(), edges.data());
  return edges;
}

csr csr_of(const std::vector<edge>& edges) {
  span_source source(edges);
  return make_csr(source);
}

struct own_arrays {
  explicit own_arrays(std::size_t vertices)
      : levels(vertices, 4711),
        frontier(bfs_arrays::words_for(vertices), ~std::uint64_t{0}),
        next(frontier) {}
  bfs_arrays view() { return {levels, frontier, next}; }

  std::vector<std::uint32_t> levels;
  std::vector<std::uint64_t> frontier;
  std::vector<std::uint64_t> next;
};

std::map<vertex_id, std::uint32_t> levels_by_id(const csr& graph, std::span<const std::uint32_t> levels) {
  std::map<vertex_id, std::uint32_t> all;
  for (std::size_t v = 0; v < graph.ids.size(); ++v)
    if (levels[v] != unreached) all[graph.ids[v]] = levels[v];
  return all;
}

TEST(Csr, HasEachEdgeOnceAndNoLoops) {
  const csr graph = csr_of({{7, 9}, {9, 7}, {7, 7}, {9, 100}, {3, 3}, {9, 100}, {100, 7}, {9, 50}});
  ASSERT_EQ(graph.view().size(), 4u);
  std::map<vertex_id, std::vector<vertex_id>> found;
  for (vertex_handle v = 0; v < 4; ++v) {
    EXPECT_TRUE(std::is_sorted(graph.view().neighbours(v).begin(), graph.view().neighbours(v).end()));
    for (const vertex_handle n : graph.view().neighbours(v)) found[graph.ids[v]].push_back(graph.ids[n]);
    std::sort(found[graph.ids[v]].begin(), found[graph.ids[v]].end());
  }
  const std::map<vertex_id, std::vector<vertex_id>> expected{
      {7, {9, 100}}, {9, {7, 50, 100}}, {50, {9}}, {100, {7, 9}}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(graph.ids[0], 9u);  // the highest degree
}

TEST(Csr, MayBeEmptyAndRefusesIdsThatAreTooLarge) {
  EXPECT_EQ(csr_of({}).view().size(), 0u);
  EXPECT_EQ(csr_of({{5, 5}}).view().size(), 0u);
  EXPECT_TRUE(perdure::fails_with(perdure::errc::unsupported, "4294967296", [] {
    csr_of({{1, std::uint64_t{1} << 32}});
  }));
}

TEST(ExternalBfs, FindsTheLevelsThatTheSearchInMemoryFinds) {
  const auto edges = rmat_edges(12);
  adjacency_list<boost_containers<standard_allocator>> list(direction::undirected);
  span_source source(edges);
  ingest(list, source);
  const vertex_index index(list);
  const csr graph = csr_of(edges);
  for (const vertex_handle start :
       {vertex_handle{0}, vertex_handle{17}, static_cast<vertex_handle>(graph.ids.size() - 1)}) {
    const bfs_result expected = bfs(index, graph.ids[start]);
    std::map<vertex_id, std::uint32_t> expected_levels;
    for (vertex_handle h = 0; h < index.size(); ++h)
      if (expected.levels[h] != unreached) expected_levels[index.id(h)] = expected.levels[h];
    for (const unsigned threads : {1u, 4u}) {
      for (const bool is_symmetric : {true, false}) {  // without it only from above
        own_arrays arrays(graph.ids.size());
        csr_view view = graph.view();
        view.symmetric = is_symmetric;
        const bfs_summary found = external_bfs(view, start, arrays.view(), threads);
        EXPECT_EQ(found.histogram, expected.histogram);
        EXPECT_EQ(found.reached, expected.reached);
        EXPECT_EQ(levels_by_id(graph, arrays.levels), expected_levels);
      }
    }
  }
}

TEST(ExternalBfs, FindsWhatIsFarAndLeavesTheRest) {
  std::vector<edge> edges;
  for (vertex_id v = 0; v < 1000; ++v) edges.push_back({v, v + 1});
  edges.push_back({5000, 5001});
  const csr graph = csr_of(edges);
  own_arrays arrays(graph.ids.size());
  const auto start =
      static_cast<vertex_handle>(std::find(graph.ids.begin(), graph.ids.end(), 0) - graph.ids.begin());
  const bfs_summary found = external_bfs(graph.view(), start, arrays.view());
  EXPECT_EQ(found.reached, 1001u);
  EXPECT_EQ(found.histogram, std::vector<std::uint64_t>(1001, 1));
  const auto levels = levels_by_id(graph, arrays.levels);
  EXPECT_EQ(levels.at(1000), 1000u);
  EXPECT_EQ(levels.count(5000), 0u);
}

TEST(ExternalBfs, RefusesStrangeVerticesAndShortArrays) {
  const csr graph = csr_of({{1, 2}, {2, 3}});
  own_arrays arrays(3);
  EXPECT_TRUE(perdure::fails_with(perdure::errc::not_found, "",
                                  [&] { external_bfs(graph.view(), 3, arrays.view()); }));
  own_arrays short_ones(2);
  EXPECT_TRUE(perdure::fails_with(perdure::errc::invalid_argument, "",
                                  [&] { external_bfs(graph.view(), 0, short_ones.view()); }));
  EXPECT_TRUE(
      perdure::fails_with(perdure::errc::not_found, "", [&] { external_bfs(csr_view{}, 0, arrays.view()); }));
}

class ExternalBfsInThePager : public perdure::scratch_test {};

TEST_F(ExternalBfsInThePager, WorksWithAllOfItInAQuarterOfItsSize) {
  const csr graph = csr_of(rmat_edges(13));
  const std::size_t n = graph.ids.size();
  own_arrays arrays(n);
  const bfs_summary expected = external_bfs(graph.view(), 3, arrays.view());

  const std::size_t words = bfs_arrays::words_for(n);
  const std::size_t offsets_bytes = (n + 1) * 8;
  const std::size_t targets_bytes = (graph.targets.size() * 4 + 7) / 8 * 8;
  const std::size_t levels_bytes = (n * 4 + 7) / 8 * 8;
  const std::size_t bytes = offsets_bytes + targets_bytes + levels_bytes + 16 * words;
  {
    std::ofstream file(path("graph"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(graph.offsets.data()),
               static_cast<std::streamsize>(offsets_bytes));
    file.write(reinterpret_cast<const char*>(graph.targets.data()),
               static_cast<std::streamsize>(graph.targets.size() * 4));
  }
  std::filesystem::resize_file(path("graph"), bytes);
  perdure::pager::options o;
  o.budget = bytes / 4;
  o.mode = perdure::pager::mode::write_back;
  const perdure::pager::region mapped = perdure::pager::map(path("graph"), o);
  std::byte* at = mapped.data();
  const auto array = [&at]<class T>(T*, std::size_t count, std::size_t taken) {
    const std::span<T> part(reinterpret_cast<T*>(at), count);
    at += taken;
    return part;
  };
  csr_view view;
  view.offsets = array(static_cast<std::uint64_t*>(nullptr), n + 1, offsets_bytes);
  view.targets = array(static_cast<vertex_handle*>(nullptr), graph.targets.size(), targets_bytes);
  bfs_arrays paged;
  paged.levels = array(static_cast<std::uint32_t*>(nullptr), n, levels_bytes);
  paged.frontier = array(static_cast<std::uint64_t*>(nullptr), words, 8 * words);
  paged.next = array(static_cast<std::uint64_t*>(nullptr), words, 8 * words);
  const bfs_summary found = external_bfs(view, 3, paged, 2);
  EXPECT_EQ(found.histogram, expected.histogram);
  EXPECT_TRUE(
      std::equal(arrays.levels.begin(), arrays.levels.end(), paged.levels.begin(), paged.levels.end()));
  if (mapped.tier() != perdure::pager::tier::plain) {
    EXPECT_LE(mapped.statistics().most_resident_bytes, bytes / 4);
    EXPECT_GT(mapped.statistics().evictions, 0u);
  }
}

}  // namespace
