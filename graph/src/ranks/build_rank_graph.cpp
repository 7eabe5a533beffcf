// Numbers the vertices of all ranks' edges, divides them by their arcs, and sends each arc to the owner of
// its row.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/rank_graph.hpp>
#include <perdure/workload/parallel.hpp>
#include <utility>

#include "drawn_edges.hpp"
#include "ranks/numbered_keys.hpp"
#include "ranks/numbered_rows.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/packed_bytes.hpp"
#include "ranks/rank_division.hpp"

namespace perdure::graph::detail {
namespace {

/// Edges that a rank sends at once.
constexpr std::size_t edges_at_once = std::size_t{1} << 20;

/// The edges of a rank, by ids at first and then by numbers of vertices.
struct numbered_edges {
  std::vector<edge> edges;
  std::vector<double> weights;        // empty: no edge has one
  std::vector<std::uint64_t> bounds;  // of vertices by ranks, until arcs are counted
  std::vector<vertex_id> ids;         // of this rank's vertices by `bounds`; empty: their numbers
};

numbered_edges in_one_piece(drawn_edges& drawn, bool with_weights) {
  numbered_edges all;
  all.edges.reserve(drawn.edges);
  if (with_weights) all.weights.reserve(drawn.edges);
  for (edge_chunk& chunk : drawn.chunks) {
    for (const short_edge& e : chunk.narrow) all.edges.push_back({e.source, e.target});
    all.edges.insert(all.edges.end(), chunk.wide.begin(), chunk.wide.end());
    if (with_weights) all.weights.insert(all.weights.end(), chunk.values.begin(), chunk.values.end());
    chunk = {};
  }
  return all;
}

std::vector<vertex_id> distinct_ids(const numbered_edges& of, std::vector<vertex_id> declared) {
  std::vector<vertex_id> ids = std::move(declared);
  ids.reserve(ids.size() + 2 * of.edges.size());
  for (const edge& e : of.edges) {
    ids.push_back(e.source);
    ids.push_back(e.target);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Collective. Returns the range that all ranks' sources declare, from the first to the last such id.
id_range declared_by_all(const id_range& own, rank_exchange& ranks) {
  id_range all;
  const std::vector<std::uint64_t> firsts = ranks.gather(own.first);
  const std::vector<std::uint64_t> counts = ranks.gather(own.count);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] == 0) continue;
    const vertex_id last = std::max(all.first + all.count, firsts[rank] + counts[rank]);
    all.first = all.count == 0 ? firsts[rank] : std::min(all.first, firsts[rank]);
    all.count = last - all.first;
  }
  return all;
}

/// Collective. Whether no id of an edge is outside the range, on any rank.
bool are_within(const id_range& range, const numbered_edges& of, const std::vector<vertex_id>& vertices,
                rank_exchange& ranks) {
  const auto is_outside = [&](vertex_id id) { return id - range.first >= range.count; };
  const bool has_others = range.count == 0 || std::any_of(vertices.begin(), vertices.end(), is_outside) ||
                          std::any_of(of.edges.begin(), of.edges.end(), [&](const edge& e) {
                            return is_outside(e.source) || is_outside(e.target);
                          });
  return sum_of_all(has_others ? 1 : 0, ranks) == 0;
}

/// Collective. Replaces ids by numbers.
void number_vertices(numbered_edges& all, const drawn_edges& drawn, rank_exchange& ranks, unsigned threads) {
  const id_range declared = declared_by_all(drawn.declared, ranks);
  if (are_within(declared, all, drawn.vertices, ranks)) {
    all.bounds = even_bounds(declared.count, ranks.size());
    if (declared.first == 0) return;
    const auto rank = static_cast<std::size_t>(ranks.rank());
    all.ids.resize(all.bounds[rank + 1] - all.bounds[rank]);
    std::iota(all.ids.begin(), all.ids.end(), declared.first + all.bounds[rank]);
    for (edge& e : all.edges) e = {e.source - declared.first, e.target - declared.first};
    return;
  }
  std::vector<vertex_id> more = drawn.vertices;
  const std::size_t named = more.size();
  more.resize(named + drawn.declared.count);
  std::iota(more.begin() + static_cast<std::ptrdiff_t>(named), more.end(), drawn.declared.first);
  const std::vector<vertex_id> ids = distinct_ids(all, std::move(more));
  numbered_keys<vertex_id> numbers = number_keys(ids, ranks);
  const auto number_of = [&](vertex_id id) {
    return numbers
        .asked[static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin())];
  };
  workload::parallel_for(threads, all.edges.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      all.edges[i] = {number_of(all.edges[i].source), number_of(all.edges[i].target)};
  });
  all.bounds = std::move(numbers.bounds);
  all.ids = std::move(numbers.own);
}

/// Collective. Calls `send(edge index, messages)` for all edges of this rank, a piece at a time, and
/// `take(message)` for each message of another rank.
template <class Send, class Take>
void exchange_edges(std::size_t edges, rank_exchange& ranks, const Send& send, const Take& take) {
  const std::uint64_t rounds = largest_of_all((edges + edges_at_once - 1) / edges_at_once, ranks);
  outgoing messages(ranks);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::size_t end = std::min<std::size_t>(edges, (round + 1) * edges_at_once);
    for (std::size_t i = round * edges_at_once; i < end; ++i) send(i, messages);
    for (const rank_message& one : messages.exchange()) take(one);
  }
}

/// Collective. Returns the number of arcs of each of this rank's vertices.
std::vector<std::uint64_t> degrees_of(const numbered_edges& all, rank_exchange& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const vertex_id first = all.bounds[rank];
  std::vector<std::uint64_t> degrees(all.bounds[rank + 1] - first);
  const auto count = [&](vertex_id v, outgoing& messages) {
    const int owner = owner_of(all.bounds, v);
    if (owner == ranks.rank()) {
      ++degrees[v - first];
    } else {
      pack(messages.to(owner), v);
    }
  };
  exchange_edges(
      all.edges.size(), ranks,
      [&](std::size_t i, outgoing& messages) {
        count(all.edges[i].source, messages);
        if (all.edges[i].source != all.edges[i].target) count(all.edges[i].target, messages);
      },
      [&](const rank_message& one) {
        for (unpacker bytes(one.bytes); !bytes.empty();) ++degrees[bytes.take<vertex_id>() - first];
      });
  return degrees;
}

/// Collective. Sends ids of vertices to the ranks that own them by other bounds.
std::vector<vertex_id> moved(const std::vector<vertex_id>& ids, const std::vector<std::uint64_t>& from,
                             const std::vector<std::uint64_t>& to, rank_exchange& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  outgoing messages(ranks);
  std::vector<vertex_id> own;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int owner = owner_of(to, from[rank] + i);
    if (owner == ranks.rank()) {
      own.push_back(ids[i]);
    } else {
      pack(messages.to(owner), ids[i]);
    }
  }
  for (const rank_message& one : messages.exchange())
    for (unpacker bytes(one.bytes); !bytes.empty();) own.push_back(bytes.take<vertex_id>());
  std::sort(own.begin(), own.end());  // as they are numbered in that order
  return own;
}

/// An arc on its way to the owner of its row.
struct sent_arc {
  vertex_id target;
  vertex_handle row;  // from the owner's first vertex on
};

/// The arcs of a rank's rows, in the order in which they came.
struct received_arcs {
  std::vector<vertex_handle> rows;
  std::vector<vertex_id> targets;
  std::vector<double> weights;

  void add(const sent_arc& arc) {
    rows.push_back(arc.row);
    targets.push_back(arc.target);
  }
};

received_arcs exchange_arcs(const numbered_edges& all, const std::vector<std::uint64_t>& bounds,
                            rank_exchange& ranks, bool with_weights) {
  received_arcs arcs;
  const auto give = [&](vertex_id v, vertex_id to, double weight, outgoing& messages) {
    const int owner = owner_of(bounds, v);
    const sent_arc arc{to, static_cast<vertex_handle>(v - bounds[static_cast<std::size_t>(owner)])};
    if (owner == ranks.rank()) {
      arcs.add(arc);
      if (with_weights) arcs.weights.push_back(weight);
      return;
    }
    std::vector<std::byte>& bytes = messages.to(owner);
    pack(bytes, arc.target);
    pack(bytes, arc.row);
    if (with_weights) pack(bytes, weight);
  };
  exchange_edges(
      all.edges.size(), ranks,
      [&](std::size_t i, outgoing& messages) {
        const auto [source, target] = all.edges[i];
        const double weight = with_weights ? all.weights[i] : 0;
        give(source, target, weight, messages);
        if (source != target) give(target, source, weight, messages);
      },
      [&](const rank_message& one) {
        for (unpacker bytes(one.bytes); !bytes.empty();) {
          const auto target = bytes.take<vertex_id>();
          arcs.add({target, bytes.take<vertex_handle>()});
          if (with_weights) arcs.weights.push_back(bytes.take<double>());
        }
      });
  return arcs;
}

/// Puts arcs into rows.
void fill_rows(rank_rows& rows, std::size_t own, received_arcs& arcs, unsigned threads) {
  rows.offsets.assign(own + 1, 0);
  for (const vertex_handle row : arcs.rows) ++rows.offsets[row + std::size_t{1}];
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  rows.targets.resize(arcs.targets.size());
  rows.weights.resize(arcs.weights.size());
  for (std::size_t i = 0; i < arcs.rows.size(); ++i) {
    const std::uint64_t place = next[arcs.rows[i]]++;
    rows.targets[place] = arcs.targets[i];
    if (!rows.weights.empty()) rows.weights[place] = arcs.weights[i];
  }
  arcs = {};
  order_rows(rows, threads);
}

}  // namespace
}  // namespace perdure::graph::detail

namespace perdure::graph {

rank_graph build_rank_graph(edge_source& edges, rank_exchange& ranks, const rank_build_options& options) {
  using namespace detail;
  drawn_edges drawn =
      joint_call(ranks, [&] { return draw_edges(edges, options.threads, options.with_weights); });
  numbered_edges all = in_one_piece(drawn, options.with_weights);
  number_vertices(all, drawn, ranks, options.threads);

  rank_rows rows;
  rows.bounds = bounds_by_arcs(all.bounds, degrees_of(all, ranks), ranks);
  const std::uint64_t own = own_vertices(rows.bounds, ranks);
  // A rank without vertices has no ids either.
  if (sum_of_all(all.ids.size(), ranks) != 0) rows.ids = moved(all.ids, all.bounds, rows.bounds, ranks);
  all.ids = {};
  received_arcs arcs = exchange_arcs(all, rows.bounds, ranks, options.with_weights);
  all = {};
  fill_rows(rows, own, arcs, options.threads);
  return joint_call(ranks, [&] { return graph_of_rows(std::move(rows), ranks.rank()); });
}

}  // namespace perdure::graph
