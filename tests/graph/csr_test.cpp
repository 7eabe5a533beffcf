// Graphs in two arrays: how they are made, what they are in, and searches that are larger than memory.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <limits>
#include <map>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/core_numbers.hpp>
#include <perdure/graph/degree_ordering.hpp>
#include <perdure/graph/external_build.hpp>
#include <perdure/graph/freeze.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/strong_components.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/wide_csr.hpp>
#include <perdure/kind_allocator.hpp>
#include <perdure/manager.hpp>
#include <perdure/pager.hpp>
#include <tuple>

#include "reference_graph.hpp"
#include "small_graphs.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
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

template <class Graph = memory_csr>
auto csr_of(const std::vector<edge>& edges, const csr_options& options) {
  auto graph = std::make_unique<Graph>();
  span_source source(edges, 1000);
  build_csr(*graph, source, options);
  return graph;
}

/// What a graph with these options should be.
model expected_of(const std::vector<edge>& edges, const csr_options& options, bool reversed = false) {
  std::vector<edge> kept = edges;
  if (reversed)
    for (edge& e : kept) std::swap(e.source, e.target);
  model m = model_of(kept, options.kind);
  for (auto& [v, neighbours] : m) {
    if (options.drop_loops) std::erase(neighbours, v);
    if (options.drop_duplicates)
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }
  return m;
}

/// The graph with its arcs turned round.
csr_view reversed(csr_view view) {
  std::swap(view.offsets, view.in_offsets);
  std::swap(view.targets, view.in_targets);
  return view;
}

void expect_sound(const csr_view& view) {
  for (vertex_handle v = 0; v < view.size(); ++v)
    EXPECT_TRUE(std::is_sorted(view.neighbours(v).begin(), view.neighbours(v).end()));
  std::vector<vertex_id> ids;
  for (const vertex_handle v : view.in_id_order()) ids.push_back(view.id(v));
  ASSERT_EQ(ids.size(), view.size());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (vertex_handle v = 0; v < view.size(); ++v) EXPECT_EQ(view.find(view.id(v)), v);
}

/// Two edges of a source that knows which vertices there are.
class declaring_source final : public edge_source {
 public:
  explicit declaring_source(id_range declared) : declared_(declared) {}
  bool next(edge_batch& batch) override {
    batch.clear();
    if (drawn_.exchange(true)) return false;
    batch.edges = {{declared_.first, declared_.first + 2}, {7, declared_.first}};
    return true;
  }
  perdure::workload::progress progress() const noexcept override { return {}; }
  id_range declared_vertices() const noexcept override { return declared_; }

 private:
  id_range declared_;
  std::atomic<bool> drawn_{false};
};

TEST(Csr, HasTheVerticesThatTheSourceDeclares) {
  for (const vertex_id first : {vertex_id{0}, vertex_id{1}, vertex_id{1} << 63}) {
    declaring_source source({first, 20});
    memory_csr graph;
    build_csr(graph, source, {.threads = 2});
    EXPECT_EQ(graph.vertices(), first == vertex_id{1} << 63 ? 21U : 20U);
    EXPECT_EQ(graph.arcs(), 2U);
    EXPECT_NE(graph.view().find(first + 19), no_vertex);
    EXPECT_EQ(graph.view().find(first + 20), no_vertex);
    EXPECT_EQ(graph.view().degree(graph.view().find(7)), 1U);
  }
}

/// The same edges, as a CSR that is made at once.
void expect_same(const csr_view& view, const csr_view& expected) {
  ASSERT_EQ(view.size(), expected.size());
  ASSERT_EQ(view.arcs(), expected.arcs());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    const vertex_handle here = view.find(expected.id(v));
    ASSERT_NE(here, no_vertex);
    std::vector<std::pair<vertex_id, double>> found;
    std::vector<std::pair<vertex_id, double>> wanted;
    for (std::size_t k = 0; k < view.degree(here); ++k)
      found.emplace_back(view.id(view.neighbours(here)[k]), view.has_weights() ? view.weights(here)[k] : 0);
    for (std::size_t k = 0; k < expected.degree(v); ++k)
      wanted.emplace_back(expected.id(expected.neighbours(v)[k]),
                          expected.has_weights() ? expected.weights(v)[k] : 0);
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(found, wanted);
    EXPECT_TRUE(std::is_sorted(view.neighbours(here).begin(), view.neighbours(here).end()));
    EXPECT_EQ(view.in_degree(here), expected.in_degree(v));
  }
  const auto order = view.in_id_order();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                             [&](vertex_handle a, vertex_handle b) { return view.id(a) < view.id(b); }));
}

TEST(Csr, OfAListAndWhatItGotSinceIsTheWhole) {
  using family = flat_containers<std::allocator>;
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const direction kind = random() % 2 == 0 ? direction::directed : direction::undirected;
    const std::uint64_t ids = 1 + random() % 60;
    const std::vector<edge> all = random_edges(random(), random() % 300, ids, random() % 3 == 0);
    const std::span<const edge> every(all);
    const std::size_t first = random() % (all.size() + 1);
    adjacency_list<family> list(kind);
    span_source before(every.first(first));
    ingest(list, before, {.threads = 2});
    memory_csr frozen;
    const vertex_order order = random() % 2 == 0 ? vertex_order::by_id : vertex_order::by_degree;
    freeze(frozen, vertex_index(list), order, 2);
    memory_csr expected;
    span_source again(every.first(first));
    build_csr(expected, again, {.kind = kind, .with_incoming = true});
    expect_same(frozen.view(), expected.view());
    EXPECT_EQ(frozen.self_loops(), expected.self_loops());

    csr_delta<std::allocator<std::byte>> delta;
    span_source after(every.subspan(first), 7);
    recording_source recorded(after, delta, 1);
    ingest(list, recorded, {.threads = 3});
    memory_csr merged;
    freeze(merged, patched_csr(frozen.view(), delta).view(), 2);
    span_source whole(every);
    build_csr(expected, whole, {.kind = kind, .with_incoming = true});
    expect_same(merged.view(), expected.view());
    EXPECT_EQ(merged.self_loops(), expected.self_loops());
    EXPECT_EQ(merged.edges(), list.edges());
    freeze(frozen, patched_csr(frozen.view(), delta).view(), 1);
    expect_same(frozen.view(), expected.view());
  }
}

TEST(Csr, IsWhatTheOptionsSay) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const std::uint64_t ids = 1 + random() % 90;
    std::vector<edge> edges = random_edges(random(), random() % 400, ids, random() % 3 == 0);
    if (random() % 5 == 0) edges.push_back({std::uint64_t{1} << 63, ids});
    if (random() % 5 == 0) edges.push_back({(std::uint64_t{1} << 32) - 1, 1});
    const csr_options options{.kind = random() % 2 == 0 ? direction::directed : direction::undirected,
                              .drop_loops = random() % 2 == 0,
                              .drop_duplicates = random() % 2 == 0,
                              .with_incoming = random() % 2 == 0,
                              .order = random() % 2 == 0 ? vertex_order::by_id : vertex_order::by_degree,
                              .threads = static_cast<unsigned>(1 + random() % 3)};
    const auto graph = csr_of(edges, options);
    const csr_view view = graph->view();
    const model expected = expected_of(edges, options);
    EXPECT_EQ(contents_of_view(view), expected);
    expect_sound(view);
    EXPECT_EQ(view.symmetric(), options.kind == direction::undirected);
    EXPECT_EQ(view.has_incoming(), view.symmetric() || (options.with_incoming && !edges.empty()));
    if (!view.symmetric() && view.has_incoming()) {
      EXPECT_EQ(contents_of_view(reversed(view)), expected_of(edges, options, true));
      expect_sound(reversed(view));
    }
    std::uint64_t arcs = 0;
    std::uint64_t loops = 0;
    for (const auto& [v, neighbours] : expected) {
      arcs += neighbours.size();
      loops += static_cast<std::uint64_t>(std::count(neighbours.begin(), neighbours.end(), v));
    }
    EXPECT_EQ(graph->arcs(), arcs);
    EXPECT_EQ(graph->self_loops(), loops);
    EXPECT_EQ(graph->edges(), options.kind == direction::undirected ? (arcs + loops) / 2 : arcs);
    if (options.order == vertex_order::by_degree) {
      for (vertex_handle v = 1; v < view.size(); ++v)
        EXPECT_TRUE(view.degree(v - 1) > view.degree(v) ||
                    (view.degree(v - 1) == view.degree(v) && view.id(v - 1) < view.id(v)));
    } else {
      for (vertex_handle v = 1; v < view.size(); ++v) EXPECT_LT(view.id(v - 1), view.id(v));
    }
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// Several chunks and ranges, by threads that get in each other's way.
TEST(Csr, DoesNotDependOnThreads) {
  const std::vector<edge> edges = rmat_edges(15);
  const csr_options options{.kind = direction::undirected,
                            .drop_loops = true,
                            .drop_duplicates = true,
                            .order = vertex_order::by_degree};
  const auto one = csr_of(edges, options);
  EXPECT_EQ(contents_of_view(one->view()), expected_of(edges, options));
  csr_options many = options;
  many.threads = 4;
  const auto four = csr_of(edges, many);
  EXPECT_TRUE(std::ranges::equal(one->view().offsets, four->view().offsets));
  EXPECT_TRUE(std::ranges::equal(one->view().targets, four->view().targets));
  EXPECT_TRUE(std::ranges::equal(one->view().ids, four->view().ids));

  // The same with ids that are far from one another.
  std::vector<edge> far = edges;
  for (edge& e : far) e = {e.source * 0xD1342543DE82EF95u, e.target * 0xD1342543DE82EF95u};
  const auto spread = csr_of(far, many);
  EXPECT_EQ(contents_of_view(spread->view()), expected_of(far, options));
}

using memory_build = csr_build<std::allocator<std::byte>>;
struct interruption {};

csr_options random_options(std::mt19937_64& random) {
  return {.kind = random() % 2 == 0 ? direction::directed : direction::undirected,
          .drop_loops = random() % 2 == 0,
          .drop_duplicates = random() % 2 == 0,
          .with_incoming = random() % 2 == 0,
          .with_weights = random() % 2 == 0};
}

std::vector<std::pair<edge, double>> with_random_weights(const std::vector<edge>& edges,
                                                         std::mt19937_64& random) {
  std::vector<std::pair<edge, double>> weighted;
  for (const edge& e : edges) weighted.emplace_back(e, static_cast<double>(random() % 40) / 4);
  return weighted;
}

// Each interruption comes at a checkpoint, from which the build goes on with another number of threads.
TEST(Csr, BuiltInPiecesIsTheSame) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t ids = 1 + random() % 300;
    const std::vector<edge> edges = random_edges(random(), random() % 3000, ids, random() % 3 == 0);
    csr_options options = random_options(random);
    const std::vector<std::pair<edge, double>> weighted = with_random_weights(edges, random);
    const auto source = [&] { return std::make_unique<weighted_source>(weighted); };
    memory_csr expected;
    build_csr(expected, *source(), options);

    memory_build build;
    external_options external{.memory = 1024 + random() % 20000};
    const std::uint64_t steps = 1 + random() % 12;
    for (bool is_ready = false; !is_ready;) {
      std::uint64_t left = steps;
      external.checkpoint = [&left] {
        if (--left == 0) throw interruption();
      };
      options.threads = static_cast<unsigned>(1 + random() % 3);
      try {
        build.run(*source(), options, external);
        is_ready = true;
      } catch (const interruption&) {
      }
      ASSERT_FALSE(build.drawn_edges() == 0 && !edges.empty());
    }
    memory_csr made;
    build.give_to(made);
    expect_identical(made.view(), expected.view());
    EXPECT_EQ(made.self_loops(), expected.self_loops());
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// The same, and then the vertices are ordered by degree.
TEST(Csr, OrderedByDegreeInPiecesIsTheSame) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t ids = 1 + random() % 300;
    const std::vector<edge> edges = random_edges(random(), random() % 3000, ids, random() % 3 == 0);
    csr_options options = random_options(random);
    const std::vector<std::pair<edge, double>> weighted = with_random_weights(edges, random);
    weighted_source of_build(weighted);
    weighted_source of_expected(weighted);
    const external_options external{.memory = 1024 + random() % 20000};
    memory_build build;
    build.run(of_build, options, external);
    options.order = vertex_order::by_degree;
    memory_csr expected;
    build_csr(expected, of_expected, options);

    degree_ordering<std::allocator<std::byte>> ordering;
    ordering.take_from(build);
    external_options steps = external;
    const std::uint64_t most = 1 + random() % 12;
    for (bool is_ready = false; !is_ready;) {
      std::uint64_t left = most;
      steps.checkpoint = [&left] {
        if (--left == 0) throw interruption();
      };
      options.threads = static_cast<unsigned>(1 + random() % 3);
      try {
        ordering.run(options, steps);
        is_ready = true;
      } catch (const interruption&) {
      }
    }
    memory_csr made;
    ordering.give_to(made);
    expect_identical(made.view(), expected.view());
    EXPECT_EQ(made.self_loops(), expected.self_loops());
    EXPECT_FALSE(ordering.has_rows());
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Csr, BuiltInPiecesHasTheVerticesThatTheSourceDeclares) {
  for (const vertex_id first : {vertex_id{0}, vertex_id{1}, vertex_id{1} << 63}) {
    declaring_source source({first, 2000});
    memory_build build;
    build.run(source, {.threads = 2}, {.memory = 4096});
    memory_csr graph;
    build.give_to(graph);
    EXPECT_EQ(graph.vertices(), first == vertex_id{1} << 63 ? 2001U : 2000U);
    EXPECT_NE(graph.view().find(first + 1999), no_vertex);
    expect_sound(graph.view());
  }
}

TEST(Csr, BuiltInPiecesTakesNoOtherSourceOrOptions) {
  const std::vector<edge> edges = rmat_edges(8);
  memory_build build;
  span_source source(edges, 100);
  EXPECT_THROW(build.run(source, {}, {.memory = 4096, .checkpoint = [] { throw interruption(); }}),
               interruption);
  ASSERT_FALSE(build.has_drawn_all());
  span_source again(edges, 100);
  EXPECT_EQ(perdure::code_of([&] { build.run(again, {.kind = direction::undirected}, {}); }),
            perdure::errc::invalid_argument);
  EXPECT_EQ(perdure::code_of([&] { build.run(again, {.order = vertex_order::by_degree}, {}); }),
            perdure::errc::unsupported);
  const std::vector<edge> fewer(edges.begin(), edges.begin() + 10);
  span_source other(fewer, 100);
  EXPECT_EQ(perdure::code_of([&] { build.run(other, {}, {}); }), perdure::errc::invalid_argument);
}

TEST(Csr, NeedsNoIdsWhereTheyAreNumbers) {
  const auto dense = csr_of({{0, 2}, {2, 1}}, {});
  EXPECT_TRUE(dense->view().ids.empty());
  EXPECT_EQ(dense->view().find(2), 2U);
  EXPECT_EQ(dense->view().find(3), no_vertex);
  const auto gaps = csr_of({{0, 3}, {3, 1}}, {});
  EXPECT_EQ(gaps->view().ids.size(), 3U);
  EXPECT_TRUE(gaps->view().by_id.empty());
  EXPECT_EQ(gaps->view().find(2), no_vertex);
}

TEST(Csr, MayBeEmptyAndBeBuiltAnew) {
  memory_csr graph;
  EXPECT_EQ(graph.vertices(), 0U);
  EXPECT_EQ(graph.view().find(0), no_vertex);
  span_source nothing(std::span<const edge>{});
  build_csr(graph, nothing, {.kind = direction::undirected, .order = vertex_order::by_degree, .threads = 2});
  EXPECT_EQ(graph.vertices(), 0U);
  EXPECT_EQ(graph.bytes(), 0U);
  EXPECT_EQ(connected_components(graph.view()).summary.components, 0U);
  const std::vector<edge> edges{{1, 2}};
  span_source some(edges);
  build_csr(graph, some, {});
  EXPECT_EQ(graph.edges(), 1U);
}

/// Fails in the middle.
class failing_source final : public edge_source {
 public:
  bool next(edge_batch& batch) override {
    batch.clear();
    batch.edges.assign(10, {7, 8});
    if (++batches_ == 5) throw perdure::error(perdure::errc::io, "the device is gone");
    return batches_ < 5;
  }
  perdure::workload::progress progress() const noexcept override { return {}; }

 private:
  std::atomic<int> batches_{0};
};

TEST(Csr, StaysAsItIsWhereTheSourceFails) {
  const auto graph = csr_of({{1, 2}, {2, 3}}, {});
  failing_source source;
  EXPECT_TRUE(
      perdure::fails_with(perdure::errc::io, "gone", [&] { build_csr(*graph, source, {.threads = 2}); }));
  EXPECT_EQ(contents_of_view(graph->view()), (model{{1, {2}}, {2, {3}}, {3, {}}}));
}

TEST(Csr, ArraysMayBeReadBeyondTheirEnds) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{1001}}) {
    padded_array<vertex_handle, std::allocator<vertex_handle>> array{std::allocator<vertex_handle>()};
    array.remake(count);
    EXPECT_EQ(array.size(), count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 8, 0U);
    for (std::size_t i = 0; i < array.padding / sizeof(vertex_handle); ++i)
      EXPECT_EQ(array.data()[count + i], 0U);
  }
}

TEST(Csr, KeepsWeightsBesideTheirArcs) {
  std::mt19937_64 random(4);
  for (const vertex_order order : {vertex_order::by_id, vertex_order::by_degree})
    for (const bool drop_duplicates : {false, true}) {
      std::vector<std::pair<edge, double>> edges;
      std::multimap<std::pair<vertex_id, vertex_id>, float> expected;
      for (const edge& e : random_edges(random(), 300, 25, false)) {
        const auto weight = static_cast<double>(random() % 100) / 4;
        edges.emplace_back(e, weight);
        for (const auto& arc : {std::pair(e.source, e.target), std::pair(e.target, e.source)}) {
          if (e.source == e.target && arc != std::pair(e.source, e.target)) continue;
          const auto there = expected.find(arc);
          if (drop_duplicates && there != expected.end()) {
            there->second = std::min(there->second, static_cast<float>(weight));
          } else {
            expected.emplace(arc, static_cast<float>(weight));
          }
          if (e.source == e.target) break;
        }
      }
      csr<std::allocator<std::byte>, float> graph;
      weighted_source source(edges);
      build_csr(graph, source,
                {.kind = direction::undirected,
                 .drop_duplicates = drop_duplicates,
                 .with_weights = true,
                 .order = order,
                 .threads = 2});
      const basic_csr_view<float> view = graph.view();
      std::vector<std::tuple<vertex_id, vertex_id, float>> found;
      for (vertex_handle v = 0; v < view.size(); ++v)
        for (std::size_t i = 0; i < view.degree(v); ++i)
          found.emplace_back(view.id(v), view.id(view.neighbours(v)[i]), view.weights(v)[i]);
      std::sort(found.begin(), found.end());
      std::vector<std::tuple<vertex_id, vertex_id, float>> wanted;
      for (const auto& [arc, weight] : expected) wanted.emplace_back(arc.first, arc.second, weight);
      std::sort(wanted.begin(), wanted.end());
      EXPECT_EQ(found, wanted);
    }
}

TEST(Csr, TakesWeightsThatAreNoNumbers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<edge, double>> edges;
  for (int i = 0; i < 100; ++i) edges.emplace_back(edge{1, 2}, i % 3 == 0 ? none : i);
  memory_csr graph;
  weighted_source source(edges);
  build_csr(graph, source, {.drop_duplicates = true, .with_weights = true});
  EXPECT_EQ(graph.view().weights(0)[0], 1);
}

template <class Manager>
class CsrInStore : public testing::Test {
 protected:
  using graph_type = csr<typename Manager::template allocator_type<std::byte>>;
  perdure::scratch_directory dir_;
};
using managers = testing::Types<perdure::manager, perdure::pinned_manager>;
TYPED_TEST_SUITE(CsrInStore, managers);

TYPED_TEST(CsrInStore, IsFoundAgain) {
  using stored_type = typename TestFixture::graph_type;
  const auto path = this->dir_.directory() / "store";
  const std::vector<edge> edges = rmat_edges(12);
  const csr_options options{.with_incoming = true, .order = vertex_order::by_degree, .threads = 2};
  const model expected = expected_of(edges, options);
  {
    perdure::store_options settings;
    settings.capacity = std::size_t{1} << 30;
    settings.pinned = std::is_same_v<TypeParam, perdure::pinned_manager>;
    TypeParam store(perdure::create_only, path, settings);
    auto* graph = store.template construct<stored_type>("web.csr")();
    for (int round = 0; round < 2; ++round) {
      span_source source(edges);
      build_csr(*graph, source, options);
    }
    EXPECT_TRUE(store.check().empty());
    store.close();
  }
  {
    const TypeParam store(perdure::open_read_only, path);
    const auto* graph = store.template find<stored_type>("web.csr").first;
    ASSERT_NE(graph, nullptr);
    EXPECT_EQ(contents_of_view(graph->view()), expected);
    const vertex_handle start = graph->view().find(edges[0].source);
    EXPECT_EQ(levels_by_id(graph->view(), bfs(graph->view(), start, 2).levels),
              reference_levels(expected, edges[0].source));
    EXPECT_THROW(store.template find<csr<>>("web.csr"), perdure::error);
  }
  TypeParam store(perdure::open_only, path);
  EXPECT_TRUE(store.template destroy<stored_type>("web.csr"));
  EXPECT_TRUE(store.check().empty());
}

class SearchInThePager : public perdure::scratch_test {};

TEST_F(SearchInThePager, WorksWithAllOfItInAQuarterOfItsSize) {
  const auto graph = csr_of(rmat_edges(13), {.kind = direction::undirected,
                                             .drop_loops = true,
                                             .drop_duplicates = true,
                                             .order = vertex_order::by_degree});
  const csr_view all = graph->view();
  const std::size_t n = all.size();
  const bfs_result expected = bfs(all, 3);

  const auto in_words = [](std::size_t bytes) { return (bytes + 7) / 8 * 8; };
  const std::size_t offsets_bytes = (n + 1) * 8;
  const std::size_t targets_bytes = in_words(all.targets.size() * 4);
  const std::size_t array_bytes = in_words(n * 4);
  const std::size_t bytes = offsets_bytes + targets_bytes + 2 * array_bytes + bfs_arrays::scratch_bytes(n);
  {
    std::ofstream file(path("graph"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(all.offsets.data()),
               static_cast<std::streamsize>(offsets_bytes));
    file.write(reinterpret_cast<const char*>(all.targets.data()),
               static_cast<std::streamsize>(all.targets.size() * 4));
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
  view.targets = array(static_cast<vertex_handle*>(nullptr), all.targets.size(), targets_bytes);
  bfs_arrays paged;
  paged.levels = array(static_cast<std::uint32_t*>(nullptr), n, array_bytes);
  paged.parents = array(static_cast<vertex_handle*>(nullptr), n, array_bytes);
  paged.scratch = array(static_cast<std::byte*>(nullptr), bfs_arrays::scratch_bytes(n), 0);
  const bfs_summary found = bfs(view, 3, paged, 2);
  EXPECT_EQ(found.histogram, expected.summary.histogram);
  EXPECT_TRUE(std::ranges::equal(expected.levels, paged.levels));
  EXPECT_EQ(verify_bfs(view, 3, paged.levels, paged.parents).value_or("right"), "right");
  std::vector<vertex_handle> labels(n);
  label_components(view, labels, 2);
  EXPECT_EQ(verify_components(view, labels).value_or("right"), "right");
  if (mapped.tier() != perdure::pager::tier::plain) {
    EXPECT_LE(mapped.statistics().most_resident_bytes, bytes / 4);
    EXPECT_GT(mapped.statistics().evictions, 0u);
  }
}

TEST(WideCsr, IsTheSameGraphToAlgorithms) {
  const std::vector<edge> edges = rmat_edges(10);
  for (const direction kind : {direction::directed, direction::undirected}) {
    const auto narrow =
        csr_of(edges, {.kind = kind, .with_incoming = true, .order = vertex_order::by_degree, .threads = 2});
    memory_wide_csr wide;
    widen_csr(wide, *narrow, 2);
    EXPECT_EQ(wide.self_loops(), narrow->self_loops());
    EXPECT_EQ(wide.edges(), narrow->edges());
    const csr_view expected_view = narrow->view();
    const auto view = wide.view();
    EXPECT_EQ(contents_of_view(view), contents_of_view(expected_view));
    EXPECT_EQ(bfs(view, 1, 2).levels, bfs(expected_view, 1, 2).levels);
    EXPECT_EQ(verify_pagerank(view, pagerank(view, {.threads = 2})).value_or("right"), "right");
    // The other kernels do the same for every type of view, and are compiled for one.
    const erased made(view);
    const erased expected(expected_view);
    const auto on_both = [&](auto&& kernel) { EXPECT_EQ(kernel(made), kernel(expected)); };
    on_both([](const erased_view& g) { return connected_components(g, 2).labels; });
    on_both([](const erased_view& g) { return strong_components(g, 2).labels; });
    on_both([](const erased_view& g) { return count_triangles(g, 2); });
    on_both([](const erased_view& g) { return sssp(g, 1, {.threads = 2}).distances; });
    on_both([](const erased_view& g) { return core_numbers(g, 2).cores; });
  }
}

}  // namespace
