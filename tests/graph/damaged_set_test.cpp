// Sets whose arrays hold a wrong number: each algorithm ends, with an answer or an error.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_bfs.hpp>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_components.hpp>
#include <perdure/graph/ranks/rank_order.hpp>
#include <perdure/graph/ranks/rank_pagerank.hpp>
#include <perdure/graph/ranks/rank_statistics.hpp>
#include <perdure/graph/ranks/rank_triangles.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <perdure/store_set.hpp>
#include <random>
#include <string>
#include <vector>

#include "graph_sets.hpp"

namespace {
using namespace perdure::graph;
using perdure::errc;
using perdure::test::random_edges_of;
using perdure::test::SetGraph;

/// An array of a graph.
struct numbers {
  std::string id;
  perdure::data_type type;
  perdure::extents dims;
  std::vector<std::byte> bytes;

  std::size_t size() const { return static_cast<std::size_t>(dims.elements()); }
  std::uint64_t at(std::size_t place) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[place * type.size()], type.size());
    return value;
  }
  void put(std::size_t place, std::uint64_t value) {
    std::memcpy(&bytes[place * type.size()], &value, type.size());
  }
};

std::vector<numbers> numbers_of(const set_graph& graph, const perdure::untyped_arrays& arrays) {
  std::vector<numbers> all;
  for (const std::string& id : graph.arrays()) {
    const perdure::array_info info = arrays.info(id);
    numbers one{id, info.type, info.dims, std::vector<std::byte>(info.dims.elements() * info.type.size())};
    arrays.read_whole(id, info.type, [&](const perdure::extents& dims) {
      return perdure::untyped_view::row_major(one.bytes.data(), dims, info.type.size());
    });
    all.push_back(std::move(one));
  }
  return all;
}

/// Returns one of these arrays with a number that is another one: near the right one, of another place of the
/// array, or any.
numbers damaged(const std::vector<numbers>& all, std::mt19937_64& random) {
  for (;;) {
    numbers one = all[random() % all.size()];
    if (one.size() == 0) continue;
    const std::size_t place = random() % one.size();
    switch (random() % 3) {
      case 0:
        one.put(place, one.at(place) + random() % 2 * 2 - 1);
        break;
      case 1:
        one.put(place, one.at(random() % one.size()));
        break;
      default:
        one.put(place, random() % 64);
    }
    return one;
  }
}

/// Runs what ranks can do with the graph. Throws what one of them throws.
void use(const set_graph& graph, const std::function<void(const rank_graph&, rank_exchange&)>& algorithm) {
  run_thread_ranks(graph.parts(),
                   [&](rank_exchange& own) { algorithm(graph.part(own.rank(), own.size()), own); });
}

TEST_F(SetGraph, ThatIsDamagedEndsEachAlgorithm) {
  const std::vector<std::function<void(const rank_graph&, rank_exchange&)>> algorithms{
      [](const rank_graph& part, rank_exchange& own) { louvain(part, own, {.starts = 1}); },
      [](const rank_graph& part, rank_exchange& own) { bfs(part, own, 0); },
      [](const rank_graph& part, rank_exchange& own) { connected_components(part, own); },
      [](const rank_graph& part, rank_exchange& own) { pagerank(part, own); },
      [](const rank_graph& part, rank_exchange& own) { statistics(part, own); },
      [](const rank_graph& part, rank_exchange& own) { count_triangles(part, own); },
      [](const rank_graph& part, rank_exchange& own) { ordered(part, rank_order::rcm, own); },
      [](const rank_graph& part, rank_exchange& own) { ordered(part, rank_order::louvain, own); },
  };
  store(3, random_edges_of(24), true);
  std::vector<numbers> sound;
  {
    const perdure::set_reader reader(path());
    sound = numbers_of(set_graph(reader.arrays().untyped()), *reader.arrays().untyped());
  }
  perdure::array_store arrays(perdure::create_only, path("damaged"), perdure::small_store());
  const auto put = [&](const numbers& one) {
    arrays.untyped()->store_whole(
        one.id, one.type, perdure::const_untyped_view::row_major(one.bytes.data(), one.dims, one.type.size()),
        {});
    if (one.id == "graph/bounds") arrays.array(one.id).set_attribute("graph of ranks", std::uint64_t{1});
  };
  for (const numbers& one : sound) put(one);
  std::mt19937_64 random(11);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> changed;
    for (std::uint64_t count = 1 + random() % 4; count > 0; --count) {
      const numbers wrong = damaged(sound, random);
      put(wrong);
      changed.push_back(wrong.id);
    }
    for (const auto& algorithm : algorithms) {
      try {
        use(set_graph(arrays.untyped()), algorithm);
      } catch (const perdure::error&) {
        ++refused;
      }
    }
    for (const numbers& one : sound)
      if (std::ranges::find(changed, one.id) != changed.end()) put(one);
  }
  EXPECT_GT(refused, 60);
}

}  // namespace
