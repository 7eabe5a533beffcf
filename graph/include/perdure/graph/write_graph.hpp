// Writes a graph to a file in formats that other programs read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/data_type.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Format of a graph file to be written.
enum class written_format : std::uint8_t {
  edge_list,      ///< ids or names, weights, times, with tabs between
  matrix_market,  ///< coordinate; pattern or real, general or symmetric; vertices are numbered from 1
  gapbs,          ///< `.sg`, or `.wsg` for a graph with weights; vertices are numbered from 0
  graphml,        ///< ids or names, weights, times, further columns
};

/// A value for each vertex or each edge, in formats with room for it.
struct written_column {
  std::string name;   ///< name of the column
  element_kind kind;  ///< `int64`, `float64` or `text`
  /// Appends the value of a vertex (by its handle) or of an arc (by its place among all arcs). Returns
  /// whether there is a value; otherwise the appended text stands for a missing one.
  std::function<bool(std::uint64_t place, std::string& to)> value;
};

/// Parts of a graph that are written.
struct written_parts {
  written_format format = written_format::edge_list;  ///< format of the file
  bool with_weights = true;                           ///< writes weights, if the graph has some
  /// Returns the name of a vertex. Without it vertices are written by id.
  std::function<std::string_view(vertex_id)> name;
  /// Returns the times of a vertex's arcs, in the order of its neighbours. Without it no times are written.
  std::function<std::span<const double>(vertex_handle)> times;
  std::vector<written_column> vertex_columns = {};  ///< columns of vertices, for GraphML only
  /// Columns of edges, for GraphML only, of a view with `offsets`.
  std::vector<written_column> edge_columns = {};
};

namespace detail {

/// The edges of a graph in the order of ids, whatever view they are of; an undirected one once.
struct listed_edge {
  std::uint64_t from;  // places in the order of ids
  std::uint64_t to;
  double weight;
  double time;
  std::uint64_t arc = 0;  // of a view with offsets
};
struct listed_graph {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool undirected = false;
  bool has_weights = false;
  bool has_times = false;
  std::function<vertex_id(std::uint64_t place)> id;
  std::function<vertex_handle(std::uint64_t place)> handle;
  /// `visit` for each edge that begins at `place`; for all arcs where `both_ends`.
  std::function<void(std::uint64_t place, bool both_ends,
                     const std::function<void(const listed_edge&)>& visit)>
      each;
};

/// Throws `errc::unsupported` for what the format has no room for.
void write_listed(const listed_graph& graph, const written_parts& parts,
                  const std::function<void(std::string_view)>& write);

}  // namespace detail

/// Passes the bytes of the file to `write`, piece by piece. Vertices come in the order of their ids. Formats
/// that number vertices call the first one 1 or 0, so ids with gaps are lost; `in_id_order` gives the vertex
/// of each number.
///
/// Throws `errc::unsupported` for content that the format cannot express: weights that are not 32-bit whole
/// numbers in `.wsg`, names with line ends. Also throws what `write` throws. O(vertices + arcs log degree), 8
/// to 20 bytes for each vertex.
template <named_view Graph>
void write_graph(const Graph& graph, const written_parts& parts,
                 const std::function<void(std::string_view)>& write) {
  const auto range = graph.in_id_order();
  const std::vector<vertex_handle> order(std::ranges::begin(range), std::ranges::end(range));
  std::vector<vertex_handle> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<vertex_handle>(i);
  bool has_weights = false;
  if constexpr (weighted_view<Graph>) has_weights = graph.has_weights() && parts.with_weights;

  detail::listed_graph listed;
  listed.vertices = order.size();
  listed.undirected = graph.symmetric();
  listed.has_weights = has_weights;
  listed.has_times = static_cast<bool>(parts.times);
  listed.handle = [&](std::uint64_t at) { return order[at]; };
  listed.id = [&](std::uint64_t at) { return graph.id(order[at]); };
  std::vector<detail::listed_edge> row;
  listed.each = [&](std::uint64_t at, bool both_ends,
                    const std::function<void(const detail::listed_edge&)>& visit) {
    const vertex_handle v = order[at];
    add_progress(1);
    row.clear();
    std::uint64_t arc = 0;
    if constexpr (requires { graph.offsets[v]; }) arc = graph.offsets[v];
    for (const vertex_handle neighbour : graph.neighbours(v))
      row.push_back({at, place[neighbour], 1, 0, arc++});
    if constexpr (weighted_view<Graph>) {
      if (has_weights) {
        std::size_t i = 0;
        for (const double weight : graph.weights(v)) row[i++].weight = weight;
      }
    }
    if (parts.times) {
      const std::span<const double> times = parts.times(v);
      for (std::size_t i = 0; i < row.size() && i < times.size(); ++i) row[i].time = times[i];
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const detail::listed_edge& a, const detail::listed_edge& b) { return a.to < b.to; });
    // Of a symmetric matrix the lower triangle.
    for (const detail::listed_edge& e : row)
      if (both_ends || !listed.undirected || e.to <= e.from) visit(e);
  };
  for (std::uint64_t at = 0; at < listed.vertices; ++at) {
    if (!listed.undirected) {
      listed.edges += graph.degree(order[at]);
      continue;
    }
    for (const vertex_handle neighbour : graph.neighbours(order[at]))
      listed.edges += place[neighbour] <= at ? 1U : 0U;
  }
  detail::write_listed(listed, parts, write);
}

}  // namespace perdure::graph
