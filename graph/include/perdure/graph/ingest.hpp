// Adding a stream of edges to an adjacency list, with many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/detail/draw_batches.hpp>
#include <perdure/graph/edge_source.hpp>
#include <vector>

namespace perdure::graph {

struct ingest_options {
  unsigned threads = 1;
  /// Stop after about this many edges (whole batches), for instance to checkpoint in between.
  std::uint64_t max_edges = std::numeric_limits<std::uint64_t>::max();
};

struct ingest_result {
  std::uint64_t edges = 0;  ///< added by this call
  bool exhausted = false;   ///< the source has no more
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

/// What one thread has read but not yet put into the graph: a few dozen entries per bank, so that a bank's
/// lock is taken, and its table brought into the cache, once for all of them.
template <class Graph, class Count>
class bank_buffers {
 public:
  /// `count(edges, loops)` is told at the end.
  bank_buffers(Graph& graph, bank_locks& locks, const Count& count)
      : graph_(graph),
        locks_(locks),
        tell_(count),
        edges_(bank_count * capacity),
        edge_fill_(bank_count),
        undirected_(graph.undirected()) {
    if (!undirected_) {
      touched_.resize(bank_count * capacity);
      touch_fill_.resize(bank_count);
      // Entry 0 must not seem to hold vertex 0, whose entry it is; vertex 1 has another one.
      recent_.resize(std::size_t{1} << recent_bits);
      recent_[0] = 1;
    }
  }

  void take(const edge_batch& batch) {
    for (const edge& e : batch.edges) add(e);
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

  void add(const edge& e) {
    put(e.source, e.target);
    if (e.source == e.target) {
      ++self_loops_;
    } else if (undirected_) {
      put(e.target, e.source);
    } else {
      put_touch(e.target);
    }
    ++count_;
  }

  void put(vertex_id source, vertex_id target) {
    const std::size_t bank = bank_of(source);
    edges_[bank * capacity + edge_fill_[bank]] = {source, target};
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

  void flush_edges(std::size_t bank) {
    const edge* begin = &edges_[bank * capacity];
    const edge* end = begin + edge_fill_[bank];
    const std::lock_guard lock(locks_[bank]);
    auto& table = graph_.bank(bank);
    for (const edge* e = begin; e != end; ++e) Graph::append(table, e->source, e->target);
    edge_fill_[bank] = 0;
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
  bank_locks& locks_;
  const Count& tell_;
  std::vector<edge> edges_;
  std::vector<std::uint8_t> edge_fill_;
  std::vector<vertex_id> touched_;
  std::vector<std::uint8_t> touch_fill_;
  std::vector<vertex_id> recent_;
  bool undirected_;
  std::uint64_t count_ = 0;
  std::uint64_t self_loops_ = 0;
};

}  // namespace detail

/// Adds the edges of `source` to `graph`.
///
/// Throws what the source throws; then every edge drawn before is in the graph, and the error is the one
/// that stands first in the input. After `std::bad_alloc` the graph may hold one end of an undirected edge
/// only: go back to the last checkpoint. No other thread may use the graph meanwhile.
template <container_family Family>
ingest_result ingest(adjacency_list<Family>& graph, edge_source& source, const ingest_options& options = {}) {
  detail::bank_locks locks;
  std::mutex mutex;
  ingest_result result;
  const auto count = [&](std::uint64_t edges, std::uint64_t self_loops) {
    const std::lock_guard lock(mutex);
    graph.count_edges(edges, self_loops);
    result.edges += edges;
  };
  result.exhausted = detail::draw_batches(source, options.threads, options.max_edges, [&] {
    return detail::bank_buffers<adjacency_list<Family>, decltype(count)>(graph, locks, count);
  });
  return result;
}

}  // namespace perdure::graph
