// Counts what ranks have.
#include <cstddef>
#include <map>
#include <perdure/graph/ranks/rank_statistics.hpp>
#include <utility>

#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace detail {
namespace {

using degree_counts = std::map<std::uint64_t, std::uint64_t>;

void pack_counts(std::vector<std::byte>& bytes, const degree_counts& counts) {
  for (const auto& [degree, count] : counts) {
    pack(bytes, degree);
    pack(bytes, count);
  }
}

void add_counts(degree_counts& counts, const std::vector<rank_message>& messages) {
  for (const rank_message& one : messages)
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      const auto degree = bytes.take<std::uint64_t>();
      counts[degree] += bytes.take<std::uint64_t>();
    }
}

/// Collective. Returns the counts of all ranks together, added up by the first one.
degree_counts counts_of_all(degree_counts counts, rank_exchange& ranks) {
  outgoing own(ranks);
  if (ranks.rank() != 0) pack_counts(own.to(0), std::exchange(counts, {}));
  add_counts(counts, own.exchange());
  outgoing all(ranks);
  if (ranks.rank() == 0)
    for (int other = 1; other < ranks.size(); ++other) pack_counts(all.to(other), counts);
  add_counts(counts, all.exchange());
  return counts;
}

/// Collective. Returns what each rank has.
std::vector<rank_part> parts_of_all(const rank_part& own, rank_exchange& ranks) {
  std::vector<rank_part> parts(static_cast<std::size_t>(ranks.size()));
  for (std::uint64_t rank_part::*const number : {&rank_part::vertices, &rank_part::arcs, &rank_part::cut_arcs,
                                                 &rank_part::ghosts, &rank_part::neighbours}) {
    const std::vector<std::uint64_t> numbers = ranks.gather(own.*number);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) parts[rank].*number = numbers[rank];
  }
  return parts;
}

}  // namespace
}  // namespace detail

rank_statistics statistics(const rank_graph& graph, rank_exchange& ranks) {
  detail::require_part(graph, ranks);
  rank_part own{.vertices = graph.size(),
                .arcs = graph.arcs(),
                .ghosts = graph.ghosts().size(),
                .neighbours = graph.plan().neighbours.size()};
  detail::degree_counts counts;
  std::uint64_t loops = 0;
  for (vertex_handle v = 0; v < graph.size(); ++v) {
    ++counts[graph.degree(v)];
    for (const vertex_handle u : graph.neighbours(v)) {
      loops += u == v ? 1U : 0U;
      own.cut_arcs += u >= graph.size() ? 1U : 0U;
    }
  }
  rank_statistics all;
  all.parts = detail::parts_of_all(own, ranks);
  all.degrees = degree_distribution(detail::counts_of_all(std::move(counts), ranks));
  all.vertices = graph.vertices();
  for (const rank_part& part : all.parts) all.arcs += part.arcs;
  all.self_loops = detail::sum_of_all(loops, ranks);
  all.edges = (all.arcs + all.self_loops) / 2;
  if (const auto without = all.degrees.vertices.find(0); without != all.degrees.vertices.end())
    all.isolated = without->second;
  return all;
}

}  // namespace perdure::graph
