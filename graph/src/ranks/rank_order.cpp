// Puts vertices in orders.
#include <algorithm>
#include <array>
#include <cstddef>
#include <perdure/error.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/rank_order.hpp>

#include "ranks/numbered_keys.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {

std::string_view to_string(rank_order order) noexcept {
  switch (order) {
    case rank_order::hilbert:
      return "hilbert";
    case rank_order::louvain:
      return "louvain";
    case rank_order::rcm:
      return "rcm";
    case rank_order::none:
      break;
  }
  return "none";
}

rank_graph ordered(const rank_graph& graph, rank_order order, rank_exchange& ranks, unsigned threads,
                   const rgg_generator* points) {
  switch (order) {
    case rank_order::hilbert:
      if (points == nullptr)
        throw error(errc::invalid_argument,
                    "the order along Hilbert's curve needs the points of a random geometric graph: take "
                    "louvain or rcm");
      return reordered(graph, hilbert_numbers(*points, graph, ranks), ranks, threads);
    case rank_order::louvain:
      return reordered(graph, louvain_numbers(graph, ranks, threads), ranks, threads);
    case rank_order::rcm:
      return reordered(graph, rcm_numbers(graph, ranks, threads), ranks, threads);
    case rank_order::none:
      break;
  }
  return graph;
}

rank_graph in_order_of(const rank_graph& before, const rank_graph& graph, rank_exchange& ranks,
                       unsigned threads) {
  using namespace detail;
  require_part(before, ranks);
  require_part(graph, ranks);
  // If the graph has all vertices, the place of each id is the vertex's number.
  std::vector<vertex_id> ids;
  ids.reserve(before.size() + graph.size());
  for (vertex_handle v = 0; v < before.size(); ++v) ids.push_back(before.id(v));
  for (vertex_handle v = 0; v < graph.size(); ++v) ids.push_back(graph.id(v));
  std::vector<std::uint64_t> numbers = places_in_order(ids, ranks);
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all = std::max(all, number + 1);
  if (largest_of_all(all, ranks) != graph.vertices() || !ascend_over_ranks(graph.ids(), ranks))
    throw error(
        errc::invalid_argument,
        "a graph takes the order of another one where it has all vertices of that, and is numbered in "
        "the order of their ids");
  numbers.resize(before.size());
  constexpr auto is_new = ~std::uint64_t{0};
  std::vector<std::array<std::uint64_t, 2>> keys;  // the old number, then the new one
  keys.reserve(graph.size());
  for (vertex_handle v = 0; v < graph.size(); ++v) keys.push_back({is_new, graph.number(v)});
  outgoing messages(ranks);
  for (vertex_handle v = 0; v < before.size(); ++v) {
    const int owner = owner_of(graph.bounds(), numbers[v]);
    if (owner == ranks.rank()) {
      keys[numbers[v] - graph.first()].front() = before.number(v);
    } else {
      pack(messages.to(owner), numbers[v]);
      pack(messages.to(owner), before.number(v));
    }
  }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto number = bytes.take<std::uint64_t>();
      keys[number - graph.first()].front() = bytes.take<std::uint64_t>();
    }
  return reordered(graph, places_in_order(keys, ranks), ranks, threads);
}

rank_graph in_id_order(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  detail::require_part(graph, ranks);
  const std::span<const vertex_id> ids = graph.ids();
  if (detail::ascend_over_ranks(ids, ranks)) return graph;
  return reordered(graph, detail::places_in_order(std::vector<vertex_id>(ids.begin(), ids.end()), ranks),
                   ranks, threads);
}

}  // namespace perdure::graph
