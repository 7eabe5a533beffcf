// The shortest path between two vertices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <perdure/graph/detail/weighted_arcs.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/workload/cancellation.hpp>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Answer of `shortest_path`.
struct path_result {
  std::vector<vertex_handle> vertices;  ///< from the first vertex to the last; empty: there is no path
  double distance = 0;                  ///< sum of the weights, or number of arcs if arcs have no weights
};

namespace detail {

/// Throws `not_found`.
void require_ends_of_path(std::size_t vertices, vertex_handle from, vertex_handle to);

/// One side of a search from both ends: level by level, remembering only what it has seen.
class path_side {
 public:
  explicit path_side(vertex_handle start) : before_{{start, start}}, frontier_{start} {}

  bool has_seen(vertex_handle v) const { return before_.contains(v); }
  std::size_t next_vertices() const noexcept { return frontier_.size(); }

  /// Goes one level on; `each(v, visit)` calls `visit` with what follows `v`. Gives the first vertex found
  /// that the other side has seen, which is then on a shortest path, since that side has seen whole levels.
  template <class Each>
  std::optional<vertex_handle> advance(const path_side& other, Each&& each) {
    std::vector<vertex_handle> next;
    std::optional<vertex_handle> met;
    for (const vertex_handle v : frontier_) {
      each(v, [&](vertex_handle u) {
        if (met || !before_.try_emplace(u, v).second) return !met;
        next.push_back(u);
        if (other.has_seen(u)) met = u;
        return !met;
      });
      if (met) break;
    }
    frontier_ = std::move(next);
    return met;
  }
  /// From `v` back to where this side began.
  std::vector<vertex_handle> way_back(vertex_handle v) const {
    std::vector<vertex_handle> way{v};
    while (before_.at(v) != v) way.push_back(v = before_.at(v));
    return way;
  }

 private:
  std::unordered_map<vertex_handle, vertex_handle> before_;
  std::vector<vertex_handle> frontier_;
};

template <graph_view Graph>
path_result path_by_arcs(const Graph& graph, vertex_handle from, vertex_handle to) {
  path_side forward(from);
  path_side backward(to);
  const auto along = [&graph](vertex_handle v, auto&& visit) {
    for (const vertex_handle u : graph.neighbours(v))
      if (!visit(u)) return;
  };
  const auto against = [&graph](vertex_handle v, auto&& visit) { visit_incoming(graph, v, visit); };
  const bool both = knows_incoming(graph);
  std::optional<vertex_handle> met;
  if (from == to) met = from;
  while (!met && forward.next_vertices() != 0 && backward.next_vertices() != 0)
    met = !both || forward.next_vertices() <= backward.next_vertices() ? forward.advance(backward, along)
                                                                       : backward.advance(forward, against);
  path_result result;
  if (!met) return result;
  result.vertices = forward.way_back(*met);
  std::reverse(result.vertices.begin(), result.vertices.end());
  const std::vector<vertex_handle> rest = backward.way_back(*met);
  result.vertices.insert(result.vertices.end(), rest.begin() + 1, rest.end());
  result.distance = static_cast<double>(result.vertices.size() - 1);
  return result;
}

template <graph_view Graph>
path_result path_by_weights(const Graph& graph, vertex_handle from, vertex_handle to) {
  struct reached {
    double distance;
    vertex_handle before;
    bool is_final = false;
  };
  std::unordered_map<vertex_handle, reached> known{{from, {0, from}}};
  using waiting = std::pair<double, vertex_handle>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> queue;
  queue.emplace(0, from);
  path_result result;
  while (!queue.empty()) {
    workload::end_if_cancelled();
    const auto [distance, v] = queue.top();
    queue.pop();
    reached& here = known.at(v);
    if (std::exchange(here.is_final, true)) continue;
    if (v == to) {
      if (!(distance <= farthest_number)) throw_too_far();
      result.distance = distance;
      for (vertex_handle at = to;; at = known.at(at).before) {
        result.vertices.push_back(at);
        if (at == from) break;
      }
      std::reverse(result.vertices.begin(), result.vertices.end());
      return result;
    }
    visit_weighted(graph, v, [&, distance = distance, v = v](vertex_handle u, double weight) {
      const double there = distance + weight;
      const auto [at, is_new] = known.try_emplace(u, reached{there, v});
      if (!is_new && !(there < at->second.distance)) return;
      at->second = {there, v};
      queue.emplace(there, u);
    });
  }
  return result;
}

}  // namespace detail

/// Finds a shortest path along the direction of the edges: by weights, or by the number of arcs if arcs have
/// no weights. One thread searches and reads a small part of most graphs only. Without weights it searches
/// from both ends, where arcs can be followed backwards. With weights it is Dijkstra's algorithm, which ends
/// at the target.
///
/// Throws
/// - `errc::not_found` if one of the two is not a vertex;
/// - `errc::invalid_argument` for a distance beyond the largest `double`;
/// - `errc::invalid_argument` for a weight anywhere in the graph that is negative or NaN. It could be on a
///   shorter path that the search does not visit, so `threads` threads check all weights.
template <class Graph>
path_result shortest_path(const Graph& graph, vertex_handle from, vertex_handle to, unsigned threads = 1) {
  if constexpr (require_graph_view<Graph>()) {
    detail::require_ends_of_path(graph.size(), from, to);
    detail::require_weights(graph, threads);
    return detail::knows_weights(graph) ? detail::path_by_weights(graph, from, to)
                                        : detail::path_by_arcs(graph, from, to);
  } else {
    return {};
  }
}

/// Checks a path by one thread: its arcs must exist, and no path may be shorter. Returns a sentence about the
/// first fault, or nothing. O((vertices + arcs) log arcs).
template <graph_view Graph>
std::optional<std::string> verify_path(const Graph& graph, vertex_handle from, vertex_handle to,
                                       const path_result& found) {
  std::vector<double> distances(graph.size(), std::numeric_limits<double>::infinity());
  using waiting = std::pair<double, vertex_handle>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> queue;
  distances[from] = 0;
  queue.emplace(0, from);
  bool has_negative = false;
  bool has_overflowed = false;
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    if (distance > distances[v]) continue;
    detail::visit_weighted(graph, v, [&, distance = distance](vertex_handle u, double weight) {
      has_negative |= !(weight >= 0);
      has_overflowed |= !(distance + weight <= detail::farthest_number);
      if (has_negative || !(distance + weight < distances[u])) return;
      distances[u] = distance + weight;
      queue.emplace(distances[u], u);
    });
  }
  if (has_negative) return "a weight on the way is less than 0, or no number";
  if (has_overflowed && !(distances[to] <= detail::farthest_number) &&
      !detail::path_by_arcs(graph, from, to).vertices.empty())
    return "the distance is larger than any number";
  if (found.vertices.empty()) {
    if (distances[to] == std::numeric_limits<double>::infinity()) return std::nullopt;
    return "there is a path, of length " + std::to_string(distances[to]);
  }
  if (found.vertices.front() != from || found.vertices.back() != to) return "the path has other ends";
  if (found.distance != distances[to])
    return "the path is said to be of length " + std::to_string(found.distance) +
           ", and the shortest is of " + std::to_string(distances[to]);
  double length = 0;
  for (std::size_t i = 1; i < found.vertices.size(); ++i) {
    double shortest = std::numeric_limits<double>::infinity();
    detail::visit_weighted(graph, found.vertices[i - 1], [&](vertex_handle u, double weight) {
      if (u == found.vertices[i]) shortest = std::min(shortest, weight);
    });
    length += shortest;
  }
  if (length != found.distance) return "the arcs of the path sum up to " + std::to_string(length);
  return std::nullopt;
}

}  // namespace perdure::graph
