// Adds a stream of edges to an adjacency list, with many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/detail/draw_batches.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/workload/parallel.hpp>
#include <vector>

namespace perdure::graph {

/// Options of `ingest`.
struct ingest_options {
  unsigned threads = 1;  ///< number of threads
  /// Stop after about this many edges (whole batches), for instance to make a checkpoint in between.
  std::uint64_t max_edges = std::numeric_limits<std::uint64_t>::max();
};

/// Result of `ingest`.
struct ingest_result {
  std::uint64_t edges = 0;  ///< edges that this call added
  bool exhausted = false;   ///< the source has no more edges
};

namespace detail {

/// One lock per bank. They are volatile: a lock has no meaning after the program has ended.
class bank_locks {
 public:
  std::mutex& operator[](std::size_t bank) noexcept { return locks_[bank].mutex; }

 private:
  struct alignas(64) padded {
    std::mutex mutex;
  };
  std::unique_ptr<padded[]> locks_ = std::make_unique<padded[]>(bank_count);
};

/// Edges that one thread has read but not yet put into the graph: a few dozen per bank, so that a bank's
/// lock is taken, and its table brought into the cache, once for all of them.
template <class Graph, class Count>
class bank_buffers {
  using column = edge_column<typename Graph::family>;

 public:
  /// `count(edges, loops)` is told at the end.
  bank_buffers(Graph& graph, const edge_columns<typename Graph::family>& columns, bank_locks& locks,
               const Count& count)
      : graph_(graph),
        columns_(columns),
        locks_(locks),
        tell_(count),
        edges_(bank_count * capacity),
        edge_fill_(bank_count),
        undirected_(graph.undirected()) {
    if (columns.weights != nullptr) weights_.resize(bank_count * capacity);
    if (columns.times != nullptr) times_.resize(bank_count * capacity);
    if (!undirected_) {
      touched_.resize(bank_count * capacity);
      touch_fill_.resize(bank_count);
      // Entry 0 must not seem to hold vertex 0, whose entry it is; vertex 1 has another one.
      recent_.resize(std::size_t{1} << recent_bits);
      recent_[0] = 1;
    }
  }

  void take(const edge_batch& batch) {
    for (const vertex_id v : batch.vertices) touch(v);
    if (weights_.empty() && times_.empty()) {
      for (const edge& e : batch.edges) add(e, 0, 0);
      return;
    }
    const double no_weight = weights_.empty() ? 0 : columns_.weights->missing();
    const double no_time = times_.empty() ? 0 : columns_.times->missing();
    for (std::size_t i = 0; i < batch.edges.size(); ++i)
      add(batch.edges[i], batch.values.empty() ? no_weight : batch.values[i],
          batch.times.empty() ? no_time : batch.times[i]);
  }
  void finish() {
    for (std::size_t bank = 0; bank < bank_count; ++bank) {
      if (edge_fill_[bank] != 0) flush_edges(bank);
      if (!undirected_ && touch_fill_[bank] != 0) flush_touched(bank);
    }
    tell_(count_, self_loops_);
  }

 private:
  static constexpr std::size_t capacity = 32;
  static constexpr unsigned recent_bits = 12;

  void add(const edge& e, double weight, double time) {
    put(e.source, e.target, weight, time);
    if (e.source == e.target) {
      ++self_loops_;
    } else if (undirected_) {
      put(e.target, e.source, weight, time);
    } else {
      put_touch(e.target);
    }
    ++count_;
  }

  void put(vertex_id source, vertex_id target, double weight, double time) {
    const std::size_t bank = bank_of(source);
    const std::size_t place = bank * capacity + edge_fill_[bank];
    edges_[place] = {source, target};
    if (!weights_.empty()) weights_[place] = weight;
    if (!times_.empty()) times_[place] = time;
    if (++edge_fill_[bank] == capacity) flush_edges(bank);
  }

  // A target must become a vertex, though it may have no edge of its own. Popular targets come again and
  // again: a small memory of recent ones saves most of the look-ups.
  void put_touch(vertex_id v) {
    vertex_id& recent = recent_[(v * 0x9E3779B97F4A7C15u) >> (64 - recent_bits)];
    if (recent == v) return;
    recent = v;
    const std::size_t bank = bank_of(v);
    touched_[bank * capacity + touch_fill_[bank]] = v;
    if (++touch_fill_[bank] == capacity) flush_touched(bank);
  }

  void touch(vertex_id v) {
    const std::size_t bank = bank_of(v);
    const std::lock_guard lock(locks_[bank]);
    Graph::touch(graph_.bank(bank), v);
  }

  void flush_edges(std::size_t bank) {
    const edge* begin = &edges_[bank * capacity];
    const edge* end = begin + edge_fill_[bank];
    const std::lock_guard lock(locks_[bank]);
    auto& table = graph_.bank(bank);
    if (weights_.empty() && times_.empty()) {
      for (const edge* e = begin; e != end; ++e) Graph::append(table, e->source, e->target);
    } else {
      for (const edge* e = begin; e != end; ++e) append_with_columns(table, bank, *e, e - edges_.data());
    }
    edge_fill_[bank] = 0;
  }

  void append_with_columns(typename Graph::bank_type& table, std::size_t bank, const edge& e,
                           std::ptrdiff_t place) {
    const std::size_t before = Graph::append(table, e.source, e.target);
    const auto append = [&](column& to, double value) {
      auto& list = column::list_of(to.bank(bank), e.source);
      list.resize(before, to.missing());
      list.push_back(value);
    };
    if (!weights_.empty()) append(*columns_.weights, weights_[static_cast<std::size_t>(place)]);
    if (!times_.empty()) append(*columns_.times, times_[static_cast<std::size_t>(place)]);
  }

  void flush_touched(std::size_t bank) {
    const vertex_id* begin = &touched_[bank * capacity];
    const vertex_id* end = begin + touch_fill_[bank];
    const std::lock_guard lock(locks_[bank]);
    auto& table = graph_.bank(bank);
    for (const vertex_id* v = begin; v != end; ++v) Graph::touch(table, *v);
    touch_fill_[bank] = 0;
  }

  Graph& graph_;
  edge_columns<typename Graph::family> columns_;
  bank_locks& locks_;
  const Count& tell_;
  std::vector<edge> edges_;
  std::vector<double> weights_;  // of them; empty: no column
  std::vector<double> times_;
  std::vector<std::uint8_t> edge_fill_;
  std::vector<vertex_id> touched_;
  std::vector<std::uint8_t> touch_fill_;
  std::vector<vertex_id> recent_;
  bool undirected_;
  std::uint64_t count_ = 0;
  std::uint64_t self_loops_ = 0;
};

}  // namespace detail

/// Adds the edges of `source` to `graph`, their weights and times to `columns`, and the vertices that batches
/// or the source declare.
///
/// Throws what the source throws. Every edge drawn before the error is then in the graph, and with several
/// threads the error is the first in input order. After `std::bad_alloc` the graph may have an undirected
/// edge at one end only: go back to the last checkpoint. No other thread may use the graph meanwhile.
template <container_family Family>
ingest_result ingest(adjacency_list<Family>& graph, edge_source& source, const ingest_options& options = {},
                     const edge_columns<Family>& columns = {}) {
  detail::bank_locks locks;
  std::mutex mutex;
  ingest_result result;
  const auto count = [&](std::uint64_t edges, std::uint64_t self_loops) {
    const std::lock_guard lock(mutex);
    graph.count_edges(edges, self_loops);
    result.edges += edges;
  };
  result.exhausted = detail::draw_batches(source, options.threads, options.max_edges, [&] {
    return detail::bank_buffers<adjacency_list<Family>, decltype(count)>(graph, columns, locks, count);
  });
  if (result.exhausted) {
    const id_range declared = source.declared_vertices();
    workload::parallel_for(options.threads, declared.count, std::size_t{1} << 14,
                           [&](std::size_t begin, std::size_t end) {
                             for (vertex_id v = declared.first + begin; v != declared.first + end; ++v) {
                               const std::size_t bank = bank_of(v);
                               const std::lock_guard lock(locks[bank]);
                               adjacency_list<Family>::touch(graph.bank(bank), v);
                             }
                           });
  }
  return result;
}

}  // namespace perdure::graph
