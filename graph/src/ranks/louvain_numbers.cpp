// Numbers vertices by communities of communities.
#include <compare>
#include <cstddef>
#include <perdure/graph/ranks/rank_communities.hpp>
#include <perdure/graph/ranks/rank_order.hpp>

#include "ranks/numbered_keys.hpp"

namespace perdure::graph {
namespace {

struct nested_key {
  std::uint64_t around;  // place of the communities around it
  std::uint64_t own;
  auto operator<=>(const nested_key&) const = default;
};

}  // namespace

std::vector<std::uint64_t> louvain_numbers(const rank_graph& graph, rank_exchange& ranks, unsigned threads) {
  // To go through the levels again brings hardly better communities, and none that are nearer to each other.
  const rank_community_result found =
      louvain(graph, ranks, {.tolerance = 1, .starts = 1, .keep_levels = true, .threads = threads});
  std::vector<nested_key> keys(graph.size());
  const auto go_into = [&](const auto& names) {
    for (vertex_handle v = 0; v < graph.size(); ++v) keys[v].own = names(v);
    const std::vector<std::uint64_t> places = detail::places_in_order(keys, ranks);
    for (vertex_handle v = 0; v < graph.size(); ++v) keys[v].around = places[v];
  };
  for (auto level = found.levels.rbegin(); level != found.levels.rend(); ++level)
    go_into([level](vertex_handle v) { return level->labels[v]; });
  go_into([&](vertex_handle v) { return graph.id(v); });
  std::vector<std::uint64_t> numbers(graph.size());
  for (std::size_t v = 0; v < numbers.size(); ++v) numbers[v] = keys[v].around;
  return numbers;
}

}  // namespace perdure::graph
