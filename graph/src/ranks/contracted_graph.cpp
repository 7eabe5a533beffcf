// Adds up the edges between communities, each at the rank of its first end.
#include "ranks/contracted_graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ranks/half_steps.hpp"
#include "ranks/packed_bytes.hpp"

namespace perdure::graph::detail {
namespace {

struct community_arc {
  vertex_id target;
  std::uint64_t weight;
};
using rows_of_ends = std::vector<std::vector<community_arc>>;

/// The edges of this rank's vertices, by the index of their community. A row has each other community once.
rows_of_ends rows_by_community(const community_graph& graph, const community_labels& communities,
                               const std::vector<std::uint64_t>& numbers, unsigned threads) {
  std::vector<std::uint64_t> begins(communities.indices() + 2);
  const auto size = static_cast<vertex_handle>(graph.size());
  for (vertex_handle v = 0; v < size; ++v) ++begins[communities[v] + std::size_t{2}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<vertex_handle> members(size);
  for (vertex_handle v = 0; v < size; ++v) members[begins[communities[v] + std::size_t{1}]++] = v;

  rows_of_ends rows(communities.indices());
  std::atomic<std::size_t> next{0};
  workload::run_threads(std::max(1U, threads), [&](unsigned) {
    nearby around;
    around.grow(communities.indices());
    for (;;) {
      constexpr std::size_t piece = 64;
      const std::size_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= rows.size()) return;
      for (std::size_t c = begin; c < std::min(begin + piece, rows.size()); ++c) {
        for (std::uint64_t i = begins[c]; i < begins[c + 1]; ++i) {
          if (!graph.loops.empty()) around.add(static_cast<vertex_handle>(c), graph.loops[members[i]]);
          graph.each_neighbour(
              members[i], [&](vertex_handle u, std::uint64_t weight) { around.add(communities[u], weight); });
        }
        rows[c].reserve(around.communities().size());
        for (const vertex_handle other : around.communities())
          rows[c].push_back({numbers[other], around.weight(other)});
        around.clear();
      }
    }
  });
  return rows;
}

/// Sends rows of other ranks' communities to them, and adds theirs to the own ones.
void gather_rows(rows_of_ends& rows, const community_graph& graph, const community_labels& communities,
                 rank_exchange& ranks) {
  const std::size_t own = graph.size();
  outgoing messages(ranks);
  for (std::size_t c = own; c < rows.size(); ++c) {
    if (rows[c].empty()) continue;
    const vertex_id name = communities.name(static_cast<vertex_handle>(c));
    auto& bytes = messages.to(graph.plan.owner(name));
    pack(bytes, name);
    pack(bytes, static_cast<std::uint64_t>(rows[c].size()));
    for (const community_arc& one : rows[c]) pack(bytes, one);
  }
  rows.resize(own);
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) {
      auto& row = rows[bytes.take<vertex_id>() - graph.plan.first()];
      for (auto left = bytes.take<std::uint64_t>(); left != 0; --left)
        row.push_back(bytes.take<community_arc>());
    }
  for (auto& row : rows) row.resize(merge_ends(std::span(row)));
}

}  // namespace

community_graph contracted(const community_graph& graph, const community_labels& communities,
                           const std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t> bounds,
                           rank_exchange& ranks, unsigned threads) {
  rows_of_ends rows = rows_by_community(graph, communities, numbers, threads);
  if (ranks.size() > 1) gather_rows(rows, graph, communities, ranks);
  std::vector<std::uint64_t> offsets{0};
  std::vector<vertex_id> targets;
  std::vector<std::uint64_t> weights;
  std::vector<std::uint64_t> loops;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (communities.members(static_cast<vertex_handle>(c)) == 0) continue;
    loops.push_back(0);
    for (const community_arc& one : rows[c]) {
      if (one.target == numbers[c]) {
        loops.back() = one.weight;
      } else {
        targets.push_back(one.target);
        weights.push_back(one.weight);
      }
    }
    offsets.push_back(targets.size());
    rows[c] = {};
  }
  return community_graph::of(std::move(bounds), ranks.rank(), std::move(offsets), targets, std::move(weights),
                             std::move(loops), threads);
}

}  // namespace perdure::graph::detail
