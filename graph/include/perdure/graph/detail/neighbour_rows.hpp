// Lists of neighbours that an algorithm makes for itself in ordinary memory: arcs turned round, or each edge
// once with both ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/graph/graph_view.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph::detail {

/// Calls `work(v)` for all vertices, in pieces of which each is one thread's.
template <class Work>
void each_vertex(unsigned threads, std::size_t vertices, Work&& work, std::size_t grain = 1024) {
  workload::parallel_for(threads, vertices, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) work(static_cast<vertex_handle>(v));
  });
}

/// A graph view without loops, whose rows are ordered and have each neighbour once.
class neighbour_rows {
 public:
  std::size_t size() const noexcept { return ends_.size(); }
  std::uint64_t arcs() const noexcept { return arcs_; }
  bool symmetric() const noexcept { return true; }
  std::uint64_t degree(vertex_handle v) const noexcept { return ends_[v] - offsets_[v]; }
  std::span<const vertex_handle> neighbours(vertex_handle v) const noexcept {
    return {targets_.data() + offsets_[v], targets_.data() + ends_[v]};
  }
  /// Where the row of `v` begins among all: an arc's place is below `places()`.
  std::uint64_t first_place(vertex_handle v) const noexcept { return offsets_[v]; }
  std::uint64_t places() const noexcept { return targets_.size(); }

  /// Rows of the arcs that `each(v, emit)` emits for all vertices, by `emit(row, target)`; it is called twice
  /// for each. In no certain order, with loops and repetitions.
  template <class Each>
  static neighbour_rows collect(std::size_t vertices, unsigned threads, Each&& each) {
    neighbour_rows rows;
    // The count of row v is at v + 2, so that sums leave the beginning of row v at v + 1. Filling the rows
    // moves that to the end, where the next row begins.
    rows.offsets_.assign(vertices + 2, 0);
    each_vertex(threads, vertices, [&](vertex_handle v) {
      each(v, [&](vertex_handle row, vertex_handle) {
        std::atomic_ref(rows.offsets_[row + std::size_t{2}]).fetch_add(1, std::memory_order_relaxed);
      });
    });
    for (std::size_t i = 2; i < rows.offsets_.size(); ++i) rows.offsets_[i] += rows.offsets_[i - 1];
    rows.targets_.resize(rows.offsets_.back());
    each_vertex(threads, vertices, [&](vertex_handle v) {
      each(v, [&](vertex_handle row, vertex_handle target) {
        const std::uint64_t place =
            std::atomic_ref(rows.offsets_[row + std::size_t{1}]).fetch_add(1, std::memory_order_relaxed);
        rows.targets_[place] = target;
      });
    });
    rows.offsets_.pop_back();
    rows.ends_.assign(rows.offsets_.begin() + 1, rows.offsets_.end());
    rows.arcs_ = rows.targets_.size();
    return rows;
  }

  /// Orders each row and drops what is repeated.
  void normalise(unsigned threads) {
    std::atomic<std::uint64_t> kept{0};
    workload::parallel_for(threads, size(), 1024, [&](std::size_t begin, std::size_t end) {
      std::uint64_t kept_here = 0;
      for (std::size_t v = begin; v < end; ++v) {
        vertex_handle* const first = targets_.data() + offsets_[v];
        vertex_handle* const last = targets_.data() + ends_[v];
        std::sort(first, last);
        ends_[v] = static_cast<std::uint64_t>(std::unique(first, last) - targets_.data());
        kept_here += ends_[v] - offsets_[v];
      }
      kept.fetch_add(kept_here, std::memory_order_relaxed);
    });
    arcs_ = kept.load(std::memory_order_relaxed);
  }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> ends_;
  std::vector<vertex_handle> targets_;
  std::uint64_t arcs_ = 0;
};

/// For each vertex where its arcs come from, with repetitions.
template <graph_view Graph>
neighbour_rows reversed_rows(const Graph& graph, unsigned threads) {
  return neighbour_rows::collect(graph.size(), threads, [&graph](vertex_handle v, auto&& emit) {
    for (const vertex_handle u : graph.neighbours(v)) emit(u, v);
  });
}

/// Calls `work(rows)` with something whose `neighbours(v)` are the vertices that have `v` among their
/// neighbours: the graph's own where it knows them.
template <graph_view Graph, class Work>
void with_incoming(const Graph& graph, unsigned threads, Work&& work) {
  if (graph.symmetric()) return work(graph);
  if constexpr (incoming_view<Graph>) {
    if (graph.has_incoming()) {
      struct turned_round {
        const Graph& graph;
        auto neighbours(vertex_handle v) const { return graph.incoming(v); }
      };
      return work(turned_round{graph});
    }
  }
  work(reversed_rows(graph, threads));
}

/// Returns whether each row is ordered, and has neither repetitions nor the vertex itself.
template <graph_view Graph>
bool has_distinct_rows(const Graph& graph, unsigned threads) {
  std::atomic<bool> simple{true};
  workload::parallel_for(threads, graph.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && simple.load(std::memory_order_relaxed); ++i) {
      const auto v = static_cast<vertex_handle>(i);
      vertex_handle before = no_vertex;
      for (const vertex_handle u : graph.neighbours(v)) {
        if (u == v || (before != no_vertex && u <= before)) {
          simple.store(false, std::memory_order_relaxed);
          return;
        }
        before = u;
      }
    }
  });
  return simple.load(std::memory_order_relaxed);
}

/// The *underlying simple graph*: two vertices are joined where there is an arc in either direction, once,
/// and none is joined with itself.
template <graph_view Graph>
neighbour_rows simple_rows(const Graph& graph, unsigned threads) {
  neighbour_rows rows =
      neighbour_rows::collect(graph.size(), threads, [&graph](vertex_handle v, auto&& emit) {
        const bool symmetric = graph.symmetric();
        for (const vertex_handle u : graph.neighbours(v)) {
          if (u == v) continue;
          emit(v, u);
          if (!symmetric) emit(u, v);
        }
      });
  rows.normalise(threads);
  return rows;
}

/// Calls `work(rows)` with the graph without loops and repetitions, but with its directions: the graph itself
/// where it is that.
template <graph_view Graph, class Work>
void on_distinct_rows(const Graph& graph, unsigned threads, Work&& work) {
  if (has_distinct_rows(graph, threads)) return work(graph);
  neighbour_rows rows =
      neighbour_rows::collect(graph.size(), threads, [&graph](vertex_handle v, auto&& emit) {
        for (const vertex_handle u : graph.neighbours(v))
          if (u != v) emit(v, u);
      });
  rows.normalise(threads);
  work(rows);
}

/// Calls `work(rows)` with the underlying simple graph: the graph itself where it is that.
template <graph_view Graph, class Work>
void on_simple_graph(const Graph& graph, unsigned threads, Work&& work) {
  if (graph.symmetric() && has_distinct_rows(graph, threads)) {
    work(graph);
  } else {
    work(simple_rows(graph, threads));
  }
}

}  // namespace perdure::graph::detail
