// Strongly connected components: sets of vertices that can all reach each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <perdure/graph/bit_set.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/detail/neighbour_rows.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph {

namespace detail {

/// Components of the vertices that have no label yet, by one thread (Tarjan). `rows` has the arcs between
/// them.
void label_rest(const neighbour_rows& rows, std::span<vertex_handle> labels);

/// Searches along arcs between vertices without labels.
template <class Rows>
class reachable {
 public:
  reachable(const Rows& rows, std::span<const vertex_handle> labels, unsigned threads)
      : rows_(rows),
        labels_(labels),
        threads_(std::max(1U, threads)),
        words_(bit_set::words_for(labels.size())) {
    set_ = bit_set(words_);
  }

  bool contains(vertex_handle v) const noexcept { return set_.contains(v); }

  void search(vertex_handle start) {
    set_.add(start);
    std::vector<vertex_handle> frontier{start};
    std::vector<std::vector<vertex_handle>> found(threads_);
    while (!frontier.empty()) {
      begin_progress_round("searching level");
      constexpr std::size_t grain = 64;
      const std::size_t pieces = (frontier.size() + grain - 1) / grain;
      std::atomic<std::size_t> next{0};
      workload::run_threads(
          static_cast<unsigned>(std::min<std::size_t>(threads_, pieces)), [&](unsigned index) {
            for (;;) {
              const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
              if (begin >= frontier.size()) return;
              for (std::size_t i = begin; i < std::min(begin + grain, frontier.size()); ++i)
                for (const vertex_handle u : rows_.neighbours(frontier[i]))
                  if (labels_[u] == no_vertex && !set_.contains_atomically(u) && set_.add_atomically(u))
                    found[index].push_back(u);
            }
          });
      frontier.clear();
      for (std::vector<vertex_handle>& one : found) {
        frontier.insert(frontier.end(), one.begin(), one.end());
        one.clear();
      }
    }
  }

 private:
  const Rows& rows_;
  std::span<const vertex_handle> labels_;
  unsigned threads_;
  struct words {
    explicit words(std::size_t count) : all(count) {}
    std::vector<std::uint64_t> all;
    operator std::span<std::uint64_t>() { return all; }
  } words_;
  bit_set set_;
};

/// Gives vertices that lead nowhere, or to which nothing leads, components of their own, for a few rounds.
template <graph_view Graph, class Incoming>
void trim(const Graph& graph, const Incoming& incoming, std::span<vertex_handle> labels, unsigned threads) {
  constexpr int rounds = 3;
  const auto has_other = [&](const auto& rows, vertex_handle v) {
    for (const vertex_handle u : rows.neighbours(v))
      if (u != v && std::atomic_ref(labels[u]).load(std::memory_order_relaxed) == no_vertex) return true;
    return false;
  };
  for (int round = 0; round < rounds; ++round)
    each_vertex(threads, labels.size(), [&](vertex_handle v) {
      const std::atomic_ref label(labels[v]);
      if (label.load(std::memory_order_relaxed) == no_vertex &&
          !(has_other(graph, v) && has_other(incoming, v)))
        label.store(v, std::memory_order_relaxed);
    });
}

/// Finds the component of a vertex with many arcs, which in most graphs is the largest by far.
template <graph_view Graph, class Incoming>
void label_largest(const Graph& graph, const Incoming& incoming, std::span<vertex_handle> labels,
                   unsigned threads) {
  vertex_handle pivot = no_vertex;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto v = static_cast<vertex_handle>(i);
    if (labels[v] != no_vertex || (pivot != no_vertex && graph.degree(v) <= most)) continue;
    most = graph.degree(v);
    pivot = v;
  }
  if (pivot == no_vertex) return;
  reachable<Graph> after(graph, labels, threads);
  after.search(pivot);
  reachable<Incoming> before(incoming, labels, threads);
  before.search(pivot);
  vertex_handle smallest = no_vertex;
  const auto is_in = [&](vertex_handle v) { return after.contains(v) && before.contains(v); };
  for (std::size_t v = 0; v < labels.size() && smallest == no_vertex; ++v)
    if (is_in(static_cast<vertex_handle>(v))) smallest = static_cast<vertex_handle>(v);
  each_vertex(threads, labels.size(), [&](vertex_handle v) {
    if (is_in(v)) labels[v] = smallest;
  });
}

}  // namespace detail

/// Labels each vertex with the smallest vertex number in its strongly connected component: the vertices that
/// it can reach and that can reach it. In an undirected graph these are the connected components.
///
/// Method: all threads first split off vertices that reach nothing or are reached by nothing. Then they find
/// the component of a vertex with many arcs, by searches in both directions. One thread processes the rest, a
/// small part of most graphs (Tarjan: "Depth-first search and linear graph algorithms", 1972).
///
/// O(vertices + arcs), 4 bytes for each arc of the rest, and 4 for each arc of a graph without incoming arcs.
template <class Graph>
component_result strong_components(const Graph& graph, unsigned threads = 1) {
  component_result result;
  if constexpr (require_graph_view<Graph>()) {
    if (graph.symmetric()) return connected_components(graph, threads);
    std::vector<vertex_handle>& labels = result.labels;
    labels.assign(graph.size(), no_vertex);
    detail::with_incoming(graph, threads, [&](const auto& incoming) {
      detail::trim(graph, incoming, labels, threads);
      detail::label_largest(graph, incoming, labels, threads);
      detail::trim(graph, incoming, labels, threads);
    });
    const auto is_left = [&labels](vertex_handle v) { return labels[v] == no_vertex; };
    detail::label_rest(detail::neighbour_rows::collect(graph.size(), threads,
                                                       [&](vertex_handle v, auto&& emit) {
                                                         if (!is_left(v)) return;
                                                         for (const vertex_handle u : graph.neighbours(v))
                                                           if (is_left(u)) emit(v, u);
                                                       }),
                       labels);
    result.summary = count_components(labels);
  }
  return result;
}

/// Checks labels against two depth-first searches by one thread (Kosaraju's algorithm). Returns a sentence
/// about the first fault, or nothing. A label may be any vertex of the component. O(vertices + arcs), and 8
/// bytes for each arc.
template <graph_view Graph>
std::optional<std::string> verify_strong_components(const Graph& graph,
                                                    std::span<const vertex_handle> labels) {
  const std::size_t size = graph.size();
  if (labels.size() != size) return "there is not one label for each vertex";
  const detail::neighbour_rows backward = detail::reversed_rows(graph, 1);
  const detail::neighbour_rows forward = detail::reversed_rows(backward, 1);
  std::vector<bool> seen(size);
  std::vector<std::pair<vertex_handle, std::size_t>> path;  // and how many of its arcs were followed
  const auto search = [&](const detail::neighbour_rows& rows, vertex_handle start, auto&& leave) {
    if (seen[start]) return;
    seen[start] = true;
    path.emplace_back(start, 0);
    while (!path.empty()) {
      auto& [v, followed] = path.back();
      const auto row = rows.neighbours(v);
      if (followed == row.size()) {
        leave(v);
        path.pop_back();
        continue;
      }
      const vertex_handle u = row[followed++];
      if (seen[u]) continue;
      seen[u] = true;
      path.emplace_back(u, 0);
    }
  };
  std::vector<vertex_handle> left;
  left.reserve(size);
  for (std::size_t v = 0; v < size; ++v)
    search(forward, static_cast<vertex_handle>(v), [&left](vertex_handle u) { left.push_back(u); });
  seen.assign(size, false);
  std::vector<vertex_handle> component(size);
  for (; !left.empty(); left.pop_back())
    search(backward, left.back(), [&, root = left.back()](vertex_handle u) { component[u] = root; });
  std::vector<vertex_handle> label_of(size, no_vertex);  // by root
  for (std::size_t i = 0; i < size; ++i) {
    const auto v = static_cast<vertex_handle>(i);
    if (labels[v] >= size || component[labels[v]] != component[v])
      return "vertex number " + std::to_string(v) + " has the label " + std::to_string(labels[v]) +
             ", which is not in its component";
    vertex_handle& label = label_of[component[v]];
    if (label == no_vertex) label = labels[v];
    if (label != labels[v])
      return "vertices number " + std::to_string(label) + " and " + std::to_string(v) +
             " lead to each other and have different labels";
  }
  return std::nullopt;
}

}  // namespace perdure::graph
