// Orders in which the vertices of a graph of ranks are numbered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/detail/hilbert_curve.hpp>
#include <perdure/graph/ranks/gathered_values.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/graph/ranks/whole_graph.hpp>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rank_graphs.hpp"
#include "small_graphs.hpp"
#include "support/errors.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::fails_with;
using perdure::test::even_bounds;
using perdure::test::on_small_divided_graphs;
using perdure::test::random_path;
using perdure::test::results_of_ranks;
using perdure::test::rows_of;
using perdure::test::shuffled_graph;
using perdure::test::weighted_source;
using numbers_of_vertices = std::vector<std::uint64_t>;
using numbering = numbers_of_vertices (*)(const rank_graph&, rank_exchange&, unsigned);

std::uint64_t id_of(std::uint64_t vertex) {
  return vertex * 1'000'003 + 5;
}

// A part whose vertices have ids that ascend with their numbers.
rank_graph with_ids(const csr_view& view, const std::vector<std::uint64_t>& bounds, rank_exchange& ranks) {
  rank_rows rows = rows_of(view, bounds, ranks.rank());
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v)
    rows.ids.push_back(id_of(bounds[static_cast<std::size_t>(ranks.rank())] + v));
  return rank_graph::of(rows, ranks);
}

numbers_of_vertices numbers_by(numbering order, const csr_view& view,
                               const std::vector<std::uint64_t>& bounds, unsigned threads) {
  numbers_of_vertices all;
  for (const numbers_of_vertices& some : results_of_ranks(
           view, bounds,
           [&](const rank_graph& own, rank_exchange& ranks) { return order(own, ranks, threads); }))
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

numbers_of_vertices some_permutation(std::uint64_t size, std::uint64_t seed) {
  numbers_of_vertices numbers(size);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  std::mt19937_64 random(seed);
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

template <class Value>
std::vector<Value> own_of(const std::vector<Value>& all, const rank_graph& graph) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(graph.first());
  return {begin, begin + static_cast<std::ptrdiff_t>(graph.size())};
}

TEST(VertexOrders, AreTheSamePermutationForAnyNumberOfRanks) {
  on_small_divided_graphs(11, 10, [](const csr_view& view, auto&& divide) {
    for (const numbering order : {&louvain_numbers, &rcm_numbers}) {
      const numbers_of_vertices expected = numbers_by(order, view, {0, view.size()}, 1);
      numbers_of_vertices sorted = expected;
      std::sort(sorted.begin(), sorted.end());
      for (std::uint64_t v = 0; v < view.size(); ++v) ASSERT_EQ(sorted[v], v);
      divide([&](const std::vector<std::uint64_t>& bounds, unsigned threads) {
        ASSERT_EQ(numbers_by(order, view, bounds, threads), expected);
      });
    }
  });
}

// The largest distance between the numbers of two neighbours.
std::uint64_t bandwidth(const csr_view& view, const numbers_of_vertices& numbers) {
  std::uint64_t largest = 0;
  for (vertex_handle v = 0; v < view.size(); ++v)
    for (const vertex_handle u : view.neighbours(v))
      if (numbers[u] > numbers[v]) largest = std::max(largest, numbers[u] - numbers[v]);
  return largest;
}

// Grids whose vertices are numbered at random, beside each other.
shuffled_graph random_grids(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sides) {
  std::uint64_t vertices = 0;
  for (const auto& [width, height] : sides) vertices += width * height;
  const numbers_of_vertices order = some_permutation(vertices, 3);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  std::uint64_t first = 0;
  for (const auto& [width, height] : sides) {
    for (std::uint64_t v = 0; v < width * height; ++v) {
      if (v % width + 1 < width) edges.emplace_back(order[first + v], order[first + v + 1]);
      if (v + width < width * height) edges.emplace_back(order[first + v], order[first + v + width]);
    }
    first += width * height;
  }
  return {vertices, edges, 3};
}

TEST(ReverseCuthillMckee, HasTheSmallestBandwidthOfPathsAndGrids) {
  const shuffled_graph path = random_path(50, 8);
  const shuffled_graph grids = random_grids({{5, 8}, {11, 3}});
  for (int ranks = 1; ranks <= 4; ++ranks) {
    EXPECT_EQ(bandwidth(path.view(), numbers_by(&rcm_numbers, path.view(), even_bounds(50, ranks), 1)), 1U);
    EXPECT_EQ(bandwidth(grids.view(), numbers_by(&rcm_numbers, grids.view(), even_bounds(73, ranks), 1)), 5U);
  }
}

// The same by its definition, for a whole graph whose ids are numbers.
class plain_rcm {
 public:
  explicit plain_rcm(const csr_view& view) : view_(view), labels_(connected_components(view).labels) {}

  numbers_of_vertices run() {
    std::vector<vertex_handle> order;
    for (vertex_handle component = 0; component < view_.size(); ++component) {
      if (labels_[component] != component) continue;
      std::vector<vertex_handle> members;
      for (vertex_handle v = 0; v < view_.size(); ++v)
        if (labels_[v] == component) members.push_back(v);
      const std::vector<std::size_t> levels = levels_from(smallest(members));
      const std::size_t last = levels[*std::max_element(
          members.begin(), members.end(), [&](auto a, auto b) { return levels[a] < levels[b]; })];
      std::erase_if(members, [&](vertex_handle v) { return levels[v] != last; });
      add_component(smallest(members), order);
    }
    numbers_of_vertices numbers(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) numbers[order[i]] = order.size() - 1 - i;
    return numbers;
  }

 private:
  bool is_before(vertex_handle a, vertex_handle b) const {
    return std::pair(view_.degree(a), a) < std::pair(view_.degree(b), b);
  }
  vertex_handle smallest(const std::vector<vertex_handle>& some) const {
    return *std::min_element(some.begin(), some.end(), [this](auto a, auto b) { return is_before(a, b); });
  }
  // Cuthill and McKee's own words: the vertices in turn, and behind them their neighbours by degree.
  void add_component(vertex_handle start, std::vector<vertex_handle>& order) const {
    std::set<vertex_handle> seen{start};
    order.push_back(start);
    for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
      std::vector<vertex_handle> next;
      for (const vertex_handle u : view_.neighbours(order[at]))
        if (seen.insert(u).second) next.push_back(u);
      std::sort(next.begin(), next.end(), [this](auto a, auto b) { return is_before(a, b); });
      order.insert(order.end(), next.begin(), next.end());
    }
  }
  std::vector<std::size_t> levels_from(vertex_handle start) const {
    std::vector<std::size_t> levels(view_.size(), 0);
    std::set<vertex_handle> seen{start};
    std::vector<vertex_handle> queue{start};
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (const vertex_handle u : view_.neighbours(queue[at]))
        if (seen.insert(u).second) {
          levels[u] = levels[queue[at]] + 1;
          queue.push_back(u);
        }
    return levels;
  }

  csr_view view_;
  std::vector<vertex_handle> labels_;
};

TEST(ReverseCuthillMckee, IsWhatTheDefinitionSays) {
  on_small_divided_graphs(12, 60, [](const csr_view& view, auto&&) {
    ASSERT_EQ(numbers_by(&rcm_numbers, view, {0, view.size()}, 1), plain_rcm(view).run());
  });
}

// Whether the vertices with the same label have consecutive numbers.
bool are_in_one_piece(const std::vector<vertex_handle>& labels, const numbers_of_vertices& numbers) {
  std::vector<vertex_handle> by_number(labels.size());
  for (std::size_t v = 0; v < labels.size(); ++v) by_number[numbers[v]] = labels[v];
  std::set<vertex_handle> seen;
  for (std::size_t i = 0; i < by_number.size(); ++i)
    if ((i == 0 || by_number[i] != by_number[i - 1]) && !seen.insert(by_number[i]).second) return false;
  return true;
}

TEST(LouvainOrder, HasTheCommunitiesOfEachLevelInOnePiece) {
  const shuffled_graph grids = random_grids({{20, 20}, {6, 6}, {1, 1}});
  const csr_view view = grids.view();
  const community_result found = louvain(view, {.tolerance = 1, .starts = 1, .keep_levels = true});
  ASSERT_GT(found.levels.size(), 1U);
  for (int ranks = 1; ranks <= 3; ranks += 2) {
    const numbers_of_vertices numbers =
        numbers_by(&louvain_numbers, view, even_bounds(view.size(), ranks), 1);
    for (const auto& level : found.levels) EXPECT_TRUE(are_in_one_piece(level.labels, numbers));
    // Within a community of the finest level they are ordered by id.
    std::map<vertex_handle, std::uint64_t> last;
    for (vertex_handle v = 0; v < view.size(); ++v) {
      const auto [at, is_first] = last.try_emplace(found.levels.front().labels[v], numbers[v]);
      EXPECT_TRUE(is_first || numbers[v] > at->second);
      at->second = numbers[v];
    }
  }
}

TEST(HilbertCurve, GoesFromCellToNeighbouringCell) {
  constexpr std::uint32_t side = 16;
  constexpr std::uint32_t step = 1U << 28;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> curve;
  for (std::uint32_t x = 0; x < side; ++x)
    for (std::uint32_t y = 0; y < side; ++y) curve[detail::hilbert_place(x * step, y * step)] = {x, y};
  ASSERT_EQ(curve.size(), side * side);
  EXPECT_EQ(curve.begin()->second, (std::pair<std::uint32_t, std::uint32_t>(0, 0)));
  for (auto at = std::next(curve.begin()); at != curve.end(); ++at) {
    const auto& [x, y] = at->second;
    const auto& [old_x, old_y] = std::prev(at)->second;
    EXPECT_EQ((x > old_x ? x - old_x : old_x - x) + (y > old_y ? y - old_y : old_y - y), 1U);
  }
}

TEST(HilbertOrder, IsThatOfPointsForAnyNumberOfRanks) {
  for (const bool scramble : {false, true}) {
    const rgg_parameters parameters{.vertices = 700, .seed = 9, .scramble = scramble};
    const rgg_generator generator(parameters);
    numbers_of_vertices expected(parameters.vertices);
    std::vector<std::pair<std::uint64_t, vertex_id>> places;
    const auto points = generator.points();
    places.reserve(points.size());
    for (vertex_id v = 0; v < points.size(); ++v)
      places.emplace_back(detail::hilbert_place(static_cast<std::uint32_t>(points[v].x * 0x1p32),
                                                static_cast<std::uint32_t>(points[v].y * 0x1p32)),
                          v);
    std::sort(places.begin(), places.end());
    for (std::uint64_t place = 0; place < places.size(); ++place) expected[places[place].second] = place;
    for (int ranks = 1; ranks <= 5; ++ranks)
      run_thread_ranks(ranks, [&](rank_exchange& own) {
        rgg_source edges(parameters, 64,
                         {static_cast<std::uint64_t>(own.rank()), static_cast<std::uint64_t>(ranks)});
        const rank_graph part = build_rank_graph(edges, own);
        EXPECT_EQ(hilbert_numbers(generator, part, own), own_of(expected, part));
      });
  }
}

TEST(HilbertOrder, IsRefusedForVerticesThatAreNoPoints) {
  run_thread_ranks(3, [](rank_exchange& own) {
    weighted_source source({{{1, 2}, 0}});
    const rank_graph part = build_rank_graph(source, own);
    EXPECT_TRUE(fails_with(errc::invalid_argument, "not those of the generator",
                           [&] { hilbert_numbers(rgg_generator({.vertices = 2}), part, own); }));
  });
}

// Rows by ids, each with its neighbours' ids and weights in order.
using rows_by_id = std::map<vertex_id, std::vector<std::pair<vertex_id, double>>>;

rows_by_id rows_by_id_of(const std::vector<rank_graph>& parts) {
  std::vector<vertex_id> ids;
  for (const rank_graph& part : parts)
    for (vertex_handle v = 0; v < part.size(); ++v) ids.push_back(part.id(v));
  rows_by_id all;
  for (const rank_graph& part : parts)
    for (vertex_handle v = 0; v < part.size(); ++v) {
      auto& row = all[part.id(v)];
      for (std::uint64_t i = part.offsets()[v]; i < part.offsets()[v + std::size_t{1}]; ++i)
        row.emplace_back(ids[part.number(part.targets()[i])], part.weights().empty() ? 0 : part.weights()[i]);
      std::sort(row.begin(), row.end());
    }
  return all;
}

TEST(ReorderedGraph, HasTheSameEdgesAndIds) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 12; ++round) {
    const std::uint64_t vertices = 1 + random() % 40;
    const std::uint64_t factor = round % 2 == 0 ? 1 : 1'000'000'007;
    std::vector<std::pair<edge, double>> edges;
    for (std::uint64_t i = random() % (4 * vertices); i > 0; --i)
      edges.push_back(
          {{random() % vertices * factor, random() % vertices * factor}, static_cast<double>(random() % 3)});
    for (int ranks = 1; ranks <= 5; ++ranks) {
      std::vector<rank_graph> before(static_cast<std::size_t>(ranks));
      std::vector<rank_graph> after(before.size());
      run_thread_ranks(ranks, [&](rank_exchange& own) {
        const auto rank = static_cast<std::size_t>(own.rank());
        weighted_source source(own.rank() == 0 ? edges : std::vector<std::pair<edge, double>>());
        before[rank] = build_rank_graph(source, own, {.with_weights = round % 3 == 0});
        const numbers_of_vertices numbers =
            some_permutation(before[rank].vertices(), static_cast<std::uint64_t>(round));
        after[rank] = reordered(before[rank], own_of(numbers, before[rank]), own);
        for (vertex_handle v = 0; v < after[rank].size(); ++v) {
          const auto row = after[rank].neighbours(v);
          EXPECT_TRUE(std::is_sorted(row.begin(), row.end(), [&](vertex_handle a, vertex_handle b) {
            return after[rank].number(a) < after[rank].number(b);
          }));
        }
        // Sorted by ids it is what it was.
        const rank_graph again = in_id_order(after[rank], own);
        EXPECT_EQ(again.bounds(), before[rank].bounds());
        EXPECT_TRUE(std::ranges::equal(again.offsets(), before[rank].offsets()));
        EXPECT_TRUE(std::ranges::equal(again.targets(), before[rank].targets()));
        EXPECT_TRUE(std::ranges::equal(again.weights(), before[rank].weights()));
        for (vertex_handle v = 0; v < again.size(); ++v) EXPECT_EQ(again.id(v), before[rank].id(v));
      });
      ASSERT_EQ(rows_by_id_of(after), rows_by_id_of(before)) << round << ", " << ranks << " ranks";
    }
  }
}

TEST(ReorderedGraph, HasTheNumbersGiven) {
  const shuffled_graph grids = random_grids({{9, 8}});
  const numbers_of_vertices numbers = some_permutation(72, 4);
  run_thread_ranks(3, [&](rank_exchange& own) {
    const rank_graph part = with_ids(grids.view(), even_bounds(72, 3), own);
    const rank_graph after = reordered(part, own_of(numbers, part), own);
    numbers_of_vertices all(72);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    const std::vector<vertex_id> ids = ids_of(after, numbers, own);
    for (std::uint64_t v = 0; v < 72; ++v) EXPECT_EQ(ids[v], id_of(v));
    for (std::uint64_t v = 0; v < 72; v += 10) EXPECT_EQ(number_of(after, id_of(v), own), numbers[v]);
    EXPECT_EQ(number_of(after, 6, own), std::nullopt);
  });
}

TEST(ReorderedGraph, KeepsItsOrderWhenVerticesAreAdded) {
  std::mt19937_64 random(16);
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (const std::uint64_t factor : {1U, 1'000'003U}) {
      std::vector<std::pair<edge, double>> edges;
      for (int i = 0; i < 60; ++i) edges.push_back({{random() % 30 * factor, random() % 30 * factor}, 0});
      std::vector<std::pair<edge, double>> more = edges;
      for (int i = 0; i < 20; ++i) more.push_back({{random() % 50 * factor, random() % 50 * factor}, 0});
      run_thread_ranks(ranks, [&](rank_exchange& own) {
        const auto build = [&own](const std::vector<std::pair<edge, double>>& of) {
          weighted_source source(own.rank() == 0 ? of : std::vector<std::pair<edge, double>>());
          return build_rank_graph(source, own);
        };
        const rank_graph before = ordered(build(edges), rank_order::rcm, own);
        const rank_graph plain = build(more);
        const rank_graph after = in_order_of(before, plain, own);
        numbers_of_vertices all(plain.vertices());
        std::iota(all.begin(), all.end(), std::uint64_t{0});
        const std::vector<vertex_id> old_ids =
            ids_of(before, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before.vertices())}, own);
        std::vector<vertex_id> ids = ids_of(after, all, own);
        EXPECT_TRUE(std::equal(old_ids.begin(), old_ids.end(), ids.begin()));
        EXPECT_TRUE(std::is_sorted(ids.begin() + static_cast<std::ptrdiff_t>(old_ids.size()), ids.end()));
        std::sort(ids.begin(), ids.end());
        EXPECT_EQ(ids, ids_of(plain, all, own));
        for (const rank_graph& wrong : {build({}), after})
          EXPECT_TRUE(fails_with(errc::invalid_argument, "takes the order of another one",
                                 [&] { in_order_of(before, wrong, own); }));
      });
    }
}

TEST(ReorderedGraph, NeedsAPermutation) {
  const shuffled_graph grids = random_grids({{3, 3}});
  struct wrong_numbers {
    std::size_t place;
    std::uint64_t number;
  };
  for (const wrong_numbers wrong : {wrong_numbers{0, 8}, {4, 9}, {4, ~std::uint64_t{0}}, {9, 3}})
    run_thread_ranks(3, [&](rank_exchange& own) {
      const rank_graph part = with_ids(grids.view(), {0, 2, 7, 9}, own);
      numbers_of_vertices numbers(9);
      std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
      if (wrong.place < 9) numbers[wrong.place] = wrong.number;
      numbers_of_vertices given = own_of(numbers, part);
      if (wrong.place == 9 && own.rank() == 1) given.pop_back();
      EXPECT_TRUE(fails_with(errc::invalid_argument, "no permutation", [&] { reordered(part, given, own); }));
      EXPECT_EQ(own.gather(1).size(), 3U);  // and can go on
    });
}

// What does not depend on numbers, by id.
struct answers {
  std::map<vertex_id, std::tuple<std::uint32_t, vertex_id, vertex_id>> of_vertices;
  std::uint64_t triangles = 0;
  bool operator==(const answers&) const = default;
};

answers answers_of(const csr_view& view, const std::vector<std::uint64_t>& bounds, bool is_reordered) {
  answers all;
  std::mutex mutex;
  const numbers_of_vertices numbers = some_permutation(view.size(), 21);
  run_thread_ranks(static_cast<int>(bounds.size()) - 1, [&](rank_exchange& own) {
    rank_graph part = with_ids(view, bounds, own);
    if (is_reordered) part = reordered(part, own_of(numbers, part), own);
    const rank_bfs_result found = bfs(part, own, *number_of(part, id_of(0), own), 2);
    const std::vector<vertex_id> components = smallest_ids(part, connected_components(part, own).labels, own);
    const std::uint64_t triangles = count_triangles(part, own);
    const std::lock_guard lock(mutex);
    all.triangles = triangles;
    for (vertex_handle v = 0; v < part.size(); ++v)
      all.of_vertices[part.id(v)] = {found.levels[v], found.parents[v], components[v]};
  });
  return all;
}

TEST(ReorderedGraph, HasTheSameAnswers) {
  on_small_divided_graphs(15, 10, [](const csr_view& view, auto&& divide) {
    if (view.size() == 0) return;
    const answers expected = answers_of(view, {0, view.size()}, false);
    divide([&](const std::vector<std::uint64_t>& bounds, unsigned) {
      ASSERT_EQ(answers_of(view, bounds, true), expected);
    });
  });
}

TEST(ReorderedGraph, IsOneGraphOfOneProcess) {
  const shuffled_graph grids = random_grids({{5, 4}, {3, 2}});
  lone_exchange lone;
  const rank_graph part = with_ids(grids.view(), {0, 26}, lone);
  const whole_graph whole(reordered(part, some_permutation(26, 6), lone));
  const csr_view view = whole.view();
  vertex_id before = 0;
  for (const vertex_handle v : view.in_id_order()) {
    EXPECT_GT(view.id(v), before);
    before = view.id(v);
    EXPECT_EQ(view.find(view.id(v)), v);
  }
  const std::vector<vertex_handle> labels = louvain(view).labels;
  EXPECT_EQ(component_ids(view, labels), smallest_ids(reordered(part, some_permutation(26, 6), lone),
                                                      {labels.begin(), labels.end()}, lone));
}

TEST(LinesOfVertices, AreOrderedByIdOverRanks) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 30; ++round) {
    const int ranks = 1 + round % 5;
    std::vector<std::vector<vertex_id>> ids(static_cast<std::size_t>(ranks));
    std::set<vertex_id> all;
    for (std::uint64_t i = random() % 200; i > 0; --i)
      if (const vertex_id id = random() % 1000; all.insert(id).second)
        ids[random() % ids.size()].push_back(id);
    run_thread_ranks(ranks, [&](rank_exchange& own) {
      std::vector<vertex_id>& own_ids = ids[static_cast<std::size_t>(own.rank())];
      std::vector<std::uint64_t> values;
      for (const vertex_id id : own_ids) {
        values.push_back(id + 1);
        values.push_back(id + 2);
      }
      order_by_id(own, own_ids, values, 2);
      ASSERT_EQ(values.size(), 2 * own_ids.size());
      for (std::size_t i = 0; i < own_ids.size(); ++i) {
        EXPECT_EQ(values[2 * i], own_ids[i] + 1);
        EXPECT_EQ(values[2 * i + 1], own_ids[i] + 2);
      }
    });
    std::vector<vertex_id> joined;
    for (const auto& some : ids) joined.insert(joined.end(), some.begin(), some.end());
    ASSERT_EQ(joined, std::vector<vertex_id>(all.begin(), all.end()));
  }
}

}  // namespace
