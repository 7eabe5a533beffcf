// A CSR with what was added to it, against one that is made of all at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/freeze.hpp>
#include <perdure/graph/patched_csr.hpp>
#include <perdure/manager.hpp>
#include <random>
#include <utility>
#include <vector>

#include "reference_graph.hpp"
#include "small_graphs.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace {
using namespace perdure::graph;
using namespace perdure::test;

static_assert(named_view<patched_csr_view> && incoming_view<patched_csr_view> &&
              weighted_view<patched_csr_view>);
static_assert(std::forward_iterator<detail::joined_row<vertex_handle>::iterator>);
static_assert(std::is_trivially_copyable_v<patched_csr_view>);

using weighted_edges = std::vector<std::pair<edge, double>>;
using memory_patch = csr_patch<std::allocator<std::byte>>;
using memory_delta = csr_delta<std::allocator<std::byte>>;

weighted_edges random_weighted_edges(std::mt19937_64& random, std::size_t count, std::uint64_t ids,
                                     bool sparse) {
  weighted_edges all;
  for (const edge& e : random_edges(random(), count, ids, sparse))
    all.emplace_back(e, static_cast<double>(random() % 20) / 4);
  return all;
}

void fill(memory_delta& delta, const weighted_edges& edges, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    delta.add(std::span(&edges[i].first, 1), std::span(&edges[i].second, 1), 1);
}

void build(memory_csr& graph, const weighted_edges& edges, const csr_options& options) {
  weighted_source source(edges);
  build_csr(graph, source, options);
}

/// By ids: where arcs lead and what they weigh, and where they come from.
struct rows_by_id {
  std::map<vertex_id, std::vector<std::pair<vertex_id, double>>> out;
  std::map<vertex_id, std::vector<vertex_id>> in;
  bool operator==(const rows_by_id&) const = default;
};

template <class View>
rows_by_id rows_of_view(const View& view) {
  rows_by_id rows;
  std::uint64_t arcs = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    auto& out = rows.out[view.id(v)];
    for (const vertex_handle u : view.neighbours(v)) out.emplace_back(view.id(u), 0);
    EXPECT_EQ(out.size(), view.degree(v));
    EXPECT_EQ(view.neighbours(v).size(), view.degree(v));
    arcs += out.size();
    if (view.has_weights()) {
      std::size_t at = 0;
      for (const double weight : view.weights(v)) out.at(at++).second = weight;
      EXPECT_EQ(at, out.size());
    }
    std::sort(out.begin(), out.end());
    if (!view.has_incoming()) continue;
    auto& in = rows.in[view.id(v)];
    for (const vertex_handle u : view.incoming(v)) in.push_back(view.id(u));
    EXPECT_EQ(in.size(), view.in_degree(v));
    std::sort(in.begin(), in.end());
  }
  EXPECT_EQ(arcs, view.arcs());
  return rows;
}

void expect_ids(const patched_csr_view& view, std::uint64_t unknown) {
  std::vector<vertex_id> ids;
  for (const vertex_handle v : view.in_id_order()) ids.push_back(view.id(v));
  EXPECT_EQ(ids.size(), view.size());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (std::size_t v = 0; v < view.size(); ++v)
    EXPECT_EQ(view.find(view.id(static_cast<vertex_handle>(v))), v);
  EXPECT_EQ(view.find(unknown), no_vertex);
}

void expect_identical(const memory_csr& made, const memory_csr& expected) {
  perdure::test::expect_identical(made.view(), expected.view());
  EXPECT_EQ(made.self_loops(), expected.self_loops());
}

// Some rounds of edges are in the patch, the last ones in a delta, which may be empty.
TEST(PatchedCsr, IsTheGraphOfAllEdges) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 400; ++round) {
    const csr_options options{.kind = random() % 2 == 0 ? direction::directed : direction::undirected,
                              .with_incoming = random() % 3 != 0,
                              .with_weights = random() % 2 == 0,
                              .order = random() % 2 == 0 ? vertex_order::by_id : vertex_order::by_degree,
                              .threads = 2};
    const std::uint64_t ids = 1 + random() % (random() % 2 == 0 ? 20 : 400);
    const weighted_edges edges = random_weighted_edges(random, 1 + random() % 300, ids, random() % 3 == 0);
    const std::size_t first = 1 + random() % edges.size();
    memory_csr base;
    build(base, {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(first)}, options);
    memory_csr merged;  // again and again
    build(merged, {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(first)}, options);

    memory_patch patch;
    patch.begin(base.view());
    const int rounds = static_cast<int>(random() % 5);
    std::vector<id_range> declared;
    std::size_t at = first;
    const auto next = [&](memory_delta& delta) {
      const std::size_t end = at + random() % (edges.size() - at + 1);
      fill(delta, edges, at, end);
      if (random() % 4 == 0) delta.add(declared.emplace_back(id_range{random() % (2 * ids), random() % 5}));
      at = end;
      freeze(merged, patched_csr(merged.view(), delta).view(), 2);
    };
    for (int i = 0; i < rounds; ++i) {
      memory_delta delta;
      next(delta);
      patch.add(base.view(), delta);
    }
    memory_delta delta;
    if (random() % 2 == 0) next(delta);

    memory_csr expected;
    build(expected, {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(at)}, options);
    rows_by_id wanted = rows_of_view(expected.view());
    for (const id_range& range : declared)
      for (std::uint64_t i = 0; i < range.count; ++i) {
        wanted.out[range.first + i];
        if (!wanted.in.empty()) wanted.in[range.first + i];
      }
    const patched_csr all(base.view(), patch, delta);
    const patched_csr_view& view = all.view();
    EXPECT_EQ(view.symmetric(), base.undirected());
    EXPECT_EQ(view.has_incoming(), base.view().has_incoming());
    EXPECT_EQ(rows_of_view(view), wanted);
    EXPECT_EQ(rows_of_view(merged.view()), wanted);
    expect_ids(view, 12345678901234567);
    memory_csr whole;
    freeze(whole, view, 2);
    expect_identical(whole, merged);
    if (delta.empty()) {
      const patched_csr alone(base.view(), patch);
      EXPECT_EQ(rows_of_view(alone.view()), wanted);
    }
    freeze(base, view, 2);  // in its own place
    expect_identical(base, merged);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(PatchedCsr, MayBeginEmpty) {
  for (const direction kind : {direction::directed, direction::undirected}) {
    memory_csr base;
    build(base, {}, {.kind = kind, .with_incoming = true});
    memory_patch patch;
    EXPECT_TRUE(patch.empty());
    EXPECT_EQ(patched_csr(base.view(), patch).view().size(), 0U);
    memory_delta delta;
    fill(delta, {{{7, 3}, 1}, {{3, 3}, 1}}, 0, 2);
    patch.add(base.view(), delta);
    EXPECT_EQ(patch.arcs(), kind == direction::directed ? 2U : 3U);
    const patched_csr all(base.view(), patch);
    expect_ids(all.view(), 4);
    const model expected =
        kind == direction::directed ? model{{3, {3}}, {7, {3}}} : model{{3, {3, 7}}, {7, {3}}};
    EXPECT_EQ(contents_of_view(all.view()), expected);
    EXPECT_TRUE(all.view().has_incoming());
    EXPECT_EQ(all.view().in_degree(0), 2U);
  }
}

TEST(PatchedCsr, IsOfOneCsrOnly) {
  memory_csr one;
  build(one, {{{0, 1}, 1}}, {});
  memory_csr other;
  build(other, {{{0, 1}, 1}, {{1, 0}, 1}}, {});
  memory_patch patch;
  patch.begin(one.view());
  EXPECT_TRUE(patch.fits(one.view()));
  EXPECT_FALSE(patch.fits(other.view()));
  EXPECT_TRUE(perdure::fails_with(perdure::errc::invalid_argument, "another CSR",
                                  [&] { patched_csr(other.view(), patch); }));
}

/// What allocators may still allocate, and have allocated.
struct memory_limit {
  std::uint64_t left = ~std::uint64_t{0};
  std::uint64_t bytes = 0;
  std::int64_t blocks = 0;
};
memory_limit limit;

template <class T>
struct limited_allocator {
  using value_type = T;
  limited_allocator() = default;
  template <class U>
  limited_allocator(const limited_allocator<U>&) noexcept {}
  T* allocate(std::size_t n) {
    if (limit.left == 0) throw std::bad_alloc();
    --limit.left;
    limit.bytes += n * sizeof(T);
    ++limit.blocks;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) noexcept {
    --limit.blocks;
    std::allocator<T>().deallocate(p, n);
  }
  bool operator==(const limited_allocator&) const = default;
};

TEST(PatchedCsr, StaysAsItIsWhereMemoryEnds) {
  std::mt19937_64 random(4);
  for (const direction kind : {direction::directed, direction::undirected}) {
    const weighted_edges edges = random_weighted_edges(random, 200, 60, false);
    memory_csr base;
    build(base, {edges.begin(), edges.begin() + 60},
          {.kind = kind, .with_incoming = true, .with_weights = true});
    {
      csr_patch<limited_allocator<std::byte>> patch;
      patch.begin(base.view());
      for (std::size_t at = 60; at < edges.size(); at += 70) {
        memory_delta delta;
        fill(delta, edges, at, at + 70);
        delta.add(id_range{100 * at, 3});
        const rows_by_id before = rows_of_view(patched_csr(base.view(), patch).view());
        bool was_added = false;
        for (std::uint64_t allocations = 0; !was_added; ++allocations) {
          limit.left = allocations;
          try {
            patch.add(base.view(), delta);
            was_added = true;
          } catch (const std::bad_alloc&) {
          }
          limit.left = ~std::uint64_t{0};
          const patched_csr all(base.view(), patch);
          if (!was_added) {
            EXPECT_EQ(rows_of_view(all.view()), before);
          }
          expect_ids(all.view(), 5000);
          ASSERT_FALSE(HasFailure()) << "with " << allocations << " allocations";
        }
      }
      memory_csr expected;
      build(expected, edges, {.kind = kind, .with_incoming = true, .with_weights = true});
      rows_by_id found = rows_of_view(patched_csr(base.view(), patch).view());
      for (const vertex_id first : {6000U, 13000U})
        for (vertex_id id = first; id < first + 3; ++id) {
          EXPECT_EQ(found.out.erase(id), 1U);
          found.in.erase(id);
        }
      EXPECT_EQ(found, rows_of_view(expected.view()));
      patch.begin(base.view());
      EXPECT_TRUE(patch.empty());
      EXPECT_EQ(limit.blocks, 0);
    }
  }
}

// Neither the graph nor the rows are copied.
TEST(PatchedCsr, TakesWhatWasAdded) {
  weighted_edges star;
  for (vertex_id v = 1; v < 100'000; ++v) star.push_back({{0, v}, 1});
  memory_csr base;
  build(base, star, {.kind = direction::undirected});
  csr_patch<limited_allocator<std::byte>> patch;
  patch.begin(base.view());
  limit = {};
  for (vertex_id v = 100'000; v < 100'010; ++v) {
    memory_delta delta;
    fill(delta, {{{0, v}, 1}, {{v - 50'000, 5}, 1}}, 0, 2);
    patch.add(base.view(), delta);
  }
  EXPECT_LT(limit.bytes, 10'000U);
  EXPECT_EQ(patch.arcs(), 40U);
  EXPECT_EQ(patch.rows(), 22U);
}

TEST(PatchedCsr, IsFoundAgainInAStore) {
  const perdure::scratch_directory dir;
  std::mt19937_64 random(8);
  const weighted_edges edges = random_weighted_edges(random, 3000, 700, true);
  const csr_options options{.with_incoming = true, .with_weights = true};
  memory_csr expected;
  build(expected, edges, options);
  {
    perdure::manager store(perdure::create_only, dir / "store");
    auto& base = *store.construct<stored_csr>("csr")();
    auto& patch = *store.construct<csr_patch<>>("patch")();
    weighted_source source({edges.begin(), edges.begin() + 2000});
    build_csr(base, source, options);
    patch.begin(base.view());
    store.close();
  }
  for (std::size_t at = 2000; at < edges.size(); at += 200) {
    perdure::manager store(perdure::open_only, dir / "store");
    memory_delta delta;
    fill(delta, edges, at, at + 200);
    store.find<csr_patch<>>("patch").first->add(store.find<stored_csr>("csr").first->view(), delta);
    EXPECT_TRUE(store.check().empty());
    store.close();
  }
  {
    const perdure::manager store(perdure::open_read_only, dir / "store");
    const patched_csr all(store.find<stored_csr>("csr").first->view(),
                          *store.find<csr_patch<>>("patch").first);
    EXPECT_EQ(rows_of_view(all.view()), rows_of_view(expected.view()));
    const bfs_result found = bfs(all.view(), 0, 2);
    EXPECT_EQ(verify_bfs(all.view(), 0, found.levels, found.parents).value_or("right"), "right");
  }
  perdure::manager store(perdure::open_only, dir / "store");
  EXPECT_TRUE(store.destroy<csr_patch<>>("patch"));
  EXPECT_TRUE(store.check().empty());
}

}  // namespace
