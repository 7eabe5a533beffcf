// Sorts the arcs of a delta by the vertices whose rows get them.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/graph/detail/delta_rows.hpp>
#include <utility>

namespace perdure::graph::detail {
namespace {

struct arc {
  vertex_handle from;
  vertex_handle to;
  double weight;
};

row_group grouped(std::vector<arc>& arcs, bool with_weights) {
  std::stable_sort(arcs.begin(), arcs.end(), [](const arc& a, const arc& b) { return a.from < b.from; });
  row_group rows;
  rows.targets.reserve(arcs.size());
  if (with_weights) rows.weights.reserve(arcs.size());
  for (const arc& one : arcs) {
    if (rows.vertices.empty() || rows.vertices.back() != one.from) {
      rows.vertices.push_back(one.from);
      rows.ends.push_back(rows.targets.size());
    }
    rows.targets.push_back(one.to);
    if (with_weights) rows.weights.push_back(one.weight);
    rows.ends.back() = rows.targets.size();
  }
  return rows;
}

}  // namespace

delta_rows rows_of(const csr_view& base, std::size_t vertices,
                   const std::function<vertex_handle(vertex_id)>& find_added, std::span<const edge> edges,
                   std::span<const double> weights, std::span<const id_range> declared) {
  delta_rows rows;
  const auto known = [&](vertex_id id) {
    const vertex_handle found = base.find(id);
    return found == no_vertex && find_added ? find_added(id) : found;
  };
  std::vector<arc> arcs;
  arcs.reserve(edges.size());
  std::vector<std::size_t> unknown;  // edges with an end that is new
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const arc one{known(edges[i].source), known(edges[i].target), weights[i]};
    if (one.from == no_vertex) rows.added.push_back(edges[i].source);
    if (one.to == no_vertex) rows.added.push_back(edges[i].target);
    if (one.from == no_vertex || one.to == no_vertex) unknown.push_back(i);
    arcs.push_back(one);
  }
  for (const id_range& range : declared)
    for (std::uint64_t i = 0; i < range.count; ++i)
      if (known(range.first + i) == no_vertex) rows.added.push_back(range.first + i);
  std::sort(rows.added.begin(), rows.added.end());
  rows.added.erase(std::unique(rows.added.begin(), rows.added.end()), rows.added.end());
  if (vertices + rows.added.size() > most_vertices)
    throw error(errc::unsupported, "the graph has more than 2^32 - 1 vertices");
  const auto number = [&](vertex_handle& end, vertex_id id) {
    if (end != no_vertex) return;
    const auto at = std::lower_bound(rows.added.begin(), rows.added.end(), id) - rows.added.begin();
    end = static_cast<vertex_handle>(vertices + static_cast<std::size_t>(at));
  };
  for (const std::size_t i : unknown) {
    number(arcs[i].from, edges[i].source);
    number(arcs[i].to, edges[i].target);
  }

  if (keeps_incoming(base)) {
    std::vector<arc> turned(arcs);
    for (arc& one : turned) std::swap(one.from, one.to);
    rows.in = grouped(turned, false);
  }
  if (base.symmetric()) {
    // Both ends of an edge one after the other, so that a row has its arcs in the order of the edges.
    std::vector<arc> both;
    both.reserve(2 * arcs.size());
    for (const arc& one : arcs) {
      both.push_back(one);
      if (one.from != one.to) both.push_back({one.to, one.from, one.weight});
    }
    arcs = std::move(both);
  }
  rows.out = grouped(arcs, base.has_weights());
  return rows;
}

}  // namespace perdure::graph::detail
