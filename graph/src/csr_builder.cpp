// From edges as they come to rows as they are kept: drawn, numbered, ordered by vertex, and written in the
// order asked for.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <perdure/graph/build_csr.hpp>
#include <perdure/workload/parallel.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/invariant.hpp"
#include "drawn_edges.hpp"
#include "numbering.hpp"
#include "row_lists.hpp"

namespace perdure::graph::detail {
namespace {

/// Gives all chunks ranks in the place of ids.
void number_vertices(drawn_edges& all, const id_ranks& ranks, unsigned threads) {
  if (ranks.are_identical()) return;  // and narrow
  workload::parallel_for(threads, all.chunks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      edge_chunk& chunk = all.chunks[i];
      for (short_edge& e : chunk.narrow) e = {ranks.rank(e.source), ranks.rank(e.target)};
      if (chunk.wide.empty()) continue;
      chunk.narrow.reserve(chunk.wide.size());
      for (const edge& e : chunk.wide) chunk.narrow.push_back({ranks.rank(e.source), ranks.rank(e.target)});
      chunk.wide = {};
    }
  });
}

/// The vertices by falling degree, by number among equals.
template <class End>
std::vector<vertex_handle> by_falling_degree(const row_lists<End>& rows, std::size_t vertices) {
  std::uint64_t largest = 0;
  for (std::size_t v = 0; v < vertices; ++v)
    largest = std::max(largest, rows.degree(static_cast<vertex_handle>(v)));
  // Of the first vertex of each degree, the largest one first.
  std::vector<vertex_handle> places(largest + 2);
  for (std::size_t v = 0; v < vertices; ++v)
    ++places[largest - rows.degree(static_cast<vertex_handle>(v)) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<vertex_handle> order(vertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    const auto v = static_cast<vertex_handle>(i);
    order[places[largest - rows.degree(v)]++] = v;
  }
  return order;
}

using any_rows = std::variant<row_lists<plain_end>, row_lists<weighted_end>>;

any_rows ordered_rows(drawn_edges& all, std::size_t vertices, const row_options& options, bool with_weights) {
  if (with_weights) return row_lists<weighted_end>(all.chunks, vertices, options);
  return row_lists<plain_end>(all.chunks, vertices, options);
}

}  // namespace

struct csr_builder::state {
  csr_options options;
  drawn_edges edges;
  std::optional<id_ranks> ranks;
  std::optional<any_rows> rows;
  std::optional<row_lists<plain_end>> incoming;
  std::vector<vertex_handle> order;   // by vertex its rank; empty: the same
  std::vector<vertex_handle> number;  // by rank the vertex

  row_options options_of_rows(bool reversed) const {
    const bool both_ends = options.kind == direction::undirected;
    return {.both_ends = both_ends,
            .reversed = reversed,
            .drop_loops = options.drop_loops,
            .drop_duplicates = options.drop_duplicates,
            .last_use = reversed || both_ends || !options.with_incoming,
            .threads = options.threads};
  }

  /// Writes rows to where they stay, in pieces of about as many arcs. Gives the number of loops.
  template <class End>
  std::uint64_t write(const row_lists<End>& from, const row_arrays& to) const {
    const std::size_t vertices = ranks->vertices();
    const auto rank_of = [&](std::size_t v) {
      return order.empty() ? static_cast<vertex_handle>(v) : order[v];
    };
    to.offsets[0] = 0;
    for (std::size_t v = 0; v < vertices; ++v) to.offsets[v + 1] = to.offsets[v] + from.degree(rank_of(v));
    PERDURE_INVARIANT(to.offsets[vertices] == to.targets.size());
    constexpr std::uint64_t arcs_of_piece = std::uint64_t{1} << 16;
    const std::uint64_t pieces = to.targets.size() / arcs_of_piece + 1;
    const auto first_vertex = [&](std::uint64_t piece) {
      return piece == pieces
                 ? vertices
                 : static_cast<std::size_t>(
                       std::lower_bound(to.offsets.begin(), to.offsets.end() - 1, piece * arcs_of_piece) -
                       to.offsets.begin());
    };
    std::atomic<std::uint64_t> loops{0};
    workload::parallel_for(options.threads, pieces, 1, [&](std::size_t piece, std::size_t piece_end) {
      std::uint64_t loops_here = 0;
      std::vector<End> row;
      const std::size_t last = first_vertex(piece_end);
      for (std::size_t v = first_vertex(piece); v < last; ++v) {
        std::span<const End> ends = from.row(rank_of(v));
        if (!number.empty()) {
          row.assign(ends.begin(), ends.end());
          for (End& end : row) end.target = number[end.target];
          std::sort(row.begin(), row.end());
          ends = row;
        }
        std::uint64_t at = to.offsets[v];
        for (const End& end : ends) {
          loops_here += end.target == v ? 1U : 0U;
          to.targets[at] = end.target;
          if constexpr (std::is_same_v<End, weighted_end>) to.put(to.weights, at, end.weight);
          ++at;
        }
        PERDURE_DEBUG_INVARIANT(at == to.offsets[v + 1]);
      }
      loops.fetch_add(loops_here, std::memory_order_relaxed);
    });
    return loops.load(std::memory_order_relaxed);
  }
};

csr_builder::csr_builder(edge_source& source, const csr_options& options)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.options = options;
  s.edges = draw_edges(source, options.threads, options.with_weights);
  s.ranks.emplace(s.edges, options.threads);
  number_vertices(s.edges, *s.ranks, options.threads);
  s.rows.emplace(ordered_rows(s.edges, s.ranks->vertices(), s.options_of_rows(false), options.with_weights));
  if (options.order != vertex_order::by_degree) return;
  s.order =
      std::visit([&](const auto& rows) { return by_falling_degree(rows, s.ranks->vertices()); }, *s.rows);
  s.number.resize(s.order.size());
  for (std::size_t v = 0; v < s.order.size(); ++v) s.number[s.order[v]] = static_cast<vertex_handle>(v);
}

csr_builder::~csr_builder() = default;

std::size_t csr_builder::vertices() const noexcept {
  return state_->ranks->vertices();
}
std::uint64_t csr_builder::arcs() const noexcept {
  return std::visit([](const auto& rows) { return rows.arcs(); }, *state_->rows);
}
bool csr_builder::has_ids() const noexcept {
  return !state_->ranks->are_identical() || is_permuted();
}
bool csr_builder::is_permuted() const noexcept {
  return !state_->order.empty();
}

void csr_builder::write_ids(std::span<vertex_id> ids) const {
  const state& s = *state_;
  if (s.order.empty()) return s.ranks->write_ids(ids);
  std::vector<vertex_id> by_rank(ids.size());
  s.ranks->write_ids(by_rank);
  for (std::size_t v = 0; v < ids.size(); ++v) ids[v] = by_rank[s.order[v]];
}

void csr_builder::write_by_id(std::span<vertex_handle> by_id) const {
  std::copy(state_->number.begin(), state_->number.end(), by_id.begin());
}

std::uint64_t csr_builder::write_rows(const row_arrays& rows) {
  const std::uint64_t loops =
      std::visit([&](const auto& from) { return state_->write(from, rows); }, *state_->rows);
  state_->rows.reset();
  return loops;
}

std::uint64_t csr_builder::incoming_arcs() {
  state& s = *state_;
  s.incoming.emplace(s.edges.chunks, s.ranks->vertices(), s.options_of_rows(true));
  return s.incoming->arcs();
}

void csr_builder::write_incoming(const row_arrays& rows) {
  state_->write(*state_->incoming, rows);
}

}  // namespace perdure::graph::detail
