// Sends the place of each point along the curve to the rank that owns the point's vertex.
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/detail/hilbert_curve.hpp>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/rank_order.hpp>

#include "ranks/numbered_keys.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

/// Cells whose points a rank sends at once.
constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 17;

struct curve_key {
  std::uint64_t place;
  vertex_id number;
  auto operator<=>(const curve_key&) const = default;
};

std::uint64_t place_of(const rgg_generator::point& point) noexcept {
  const auto cell = [](double coordinate) { return static_cast<std::uint32_t>(std::ldexp(coordinate, 32)); };
  return hilbert_place(cell(point.x), cell(point.y));
}

}  // namespace
}  // namespace detail

std::vector<std::uint64_t> hilbert_numbers(const rgg_generator& generator, const rank_graph& graph,
                                           rank_exchange& ranks) {
  using namespace detail;
  require_part(graph, ranks);
  if (sum_of_all(graph.ids().size(), ranks) != 0 || graph.vertices() != generator.vertices())
    throw error(errc::invalid_argument,
                "the graph's vertices are not those of the generator: take the graph that was built of its "
                "edges");
  std::vector<curve_key> keys(graph.size());
  const auto take = [&](vertex_id number, std::uint64_t place) {
    keys[number - graph.first()] = {place, number};
  };
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  const auto parts = static_cast<std::uint64_t>(ranks.size());
  std::uint64_t cell = portion(generator.cells(), rank, parts);
  const std::uint64_t end = portion(generator.cells(), rank + 1, parts);
  std::vector<rgg_generator::numbered_point> points;
  outgoing messages(ranks);
  while (sum_of_all(end - cell, ranks) != 0) {
    const std::uint64_t stop = std::min(end, cell + cells_at_once);
    points.clear();
    generator.points(cell, stop, points);
    cell = stop;
    for (const rgg_generator::numbered_point& one : points) {
      const int owner = owner_of(graph.bounds(), one.vertex);
      if (owner == ranks.rank()) {
        take(one.vertex, place_of(one.place));
      } else {
        pack(messages.to(owner), one.vertex);
        pack(messages.to(owner), place_of(one.place));
      }
    }
    for (const rank_message& one : messages.exchange())
      for (unpacker bytes(one.bytes); !bytes.empty();) {
        const auto number = bytes.take<vertex_id>();
        take(number, bytes.take<std::uint64_t>());
      }
  }
  return places_in_order(keys, ranks);
}

}  // namespace perdure::graph
