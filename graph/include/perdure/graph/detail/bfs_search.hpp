// How bfs.hpp searches.
//
// The frontier (the vertices of a level) is a queue while it is small, and a bit set otherwise. A scan of the
// bit set costs one bit for each vertex of the graph, however few are in it. The queue has room for as many
// vertices as the set has words, so neither costs more than the other. Going *down* follows the edges out of
// the frontier. Going *up*, each vertex that was not reached yet looks for a neighbour in the frontier and
// stops at the first one, which wins when the frontier is large.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <perdure/graph/bit_set.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Level of a vertex to which there is no path.
inline constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

/// Arrays that `bfs` works in; their earlier content does not matter.
struct bfs_arrays {
  std::span<std::uint32_t> levels;  ///< result, one element for each vertex; empty: not wanted
  /// Result, one element for each vertex, `no_vertex` where there is no path; empty: not wanted.
  std::span<vertex_handle> parents;
  std::span<std::byte> scratch;  ///< `scratch_bytes(vertices)` bytes, aligned to 8

  /// Returns the size of `scratch` in bytes: room for three bit sets and two short queues.
  static constexpr std::size_t scratch_bytes(std::size_t vertices) noexcept {
    return 4 * sizeof(std::uint64_t) * bit_set::words_for(vertices);
  }
};

/// Counts of a search.
struct bfs_summary {
  std::vector<std::uint64_t> histogram;  ///< number of vertices at each level
  std::uint64_t reached = 0;             ///< vertices to which there is a path, the source included
  std::uint64_t arcs = 0;                ///< arcs that leave the vertices reached
};

namespace detail {

/// Throws `not_found` or `invalid_argument`.
void require_bfs_arguments(std::size_t vertices, vertex_handle source, const bfs_arrays& arrays);

template <graph_view Graph>
class bfs_search {
 public:
  bfs_search(const Graph& graph, const bfs_arrays& arrays, unsigned threads)
      : graph_(graph),
        levels_(arrays.levels.data()),
        parents_(arrays.parents.data()),
        threads_(threads),
        words_(bit_set::words_for(graph.size())),
        visited_(set_in(arrays.scratch, 0)),
        frontier_(set_in(arrays.scratch, 1)),
        next_(set_in(arrays.scratch, 2)),
        queue_(reinterpret_cast<vertex_handle*>(&set_in(arrays.scratch, 3).word(0))),
        next_queue_(queue_ + words_) {}

  bfs_summary run(vertex_handle source) {
    clear();
    visited_.add(source);
    reach(source, source, 0);
    queue_[0] = source;
    level now{1, graph_.degree(source), true};
    const bool may_go_up = knows_incoming(graph_);
    std::uint64_t unexplored = graph_.arcs();
    std::uint64_t before = 0;
    bool upward = false;
    bfs_summary result;
    for (std::uint32_t depth = 0; now.vertices != 0; ++depth) {
      begin_progress_round("level");
      result.histogram.push_back(now.vertices);
      result.reached += now.vertices;
      result.arcs += now.arcs;
      // The thresholds of the paper, alpha = 15 and beta = 18.
      upward = may_go_up && (upward ? now.vertices >= before || now.vertices > graph_.size() / 18
                                    : now.arcs > unexplored / 15);
      unexplored -= std::min(unexplored, now.arcs);
      before = now.vertices;
      now = upward ? up(now, depth + 1) : down(now, depth + 1);
    }
    return result;
  }

 private:
  static constexpr std::size_t words_of_piece = 64;  // 4096 vertices

  struct level {
    std::uint64_t vertices = 0;
    std::uint64_t arcs = 0;
    bool is_queued = false;  // else `frontier_` has it; the set is empty while the queue is used
  };

  /// Counts that all threads add up.
  struct found {
    std::atomic<std::uint64_t> vertices{0};
    std::atomic<std::uint64_t> arcs{0};

    void add(std::uint64_t more_vertices, std::uint64_t more_arcs) noexcept {
      vertices.fetch_add(more_vertices, std::memory_order_relaxed);
      arcs.fetch_add(more_arcs, std::memory_order_relaxed);
    }
  };

  bit_set set_in(std::span<std::byte> scratch, std::size_t index) const noexcept {
    return bit_set({reinterpret_cast<std::uint64_t*>(scratch.data()) + index * words_, words_});
  }

  void clear() {
    workload::parallel_for(threads_, words_, words_of_piece * 16, [this](std::size_t begin, std::size_t end) {
      for (const bit_set& set : {visited_, frontier_, next_})
        std::fill(&set.word(0) + begin, &set.word(0) + end, 0);
      const std::size_t first = begin * 64;
      const std::size_t last = std::min(end * 64, graph_.size());
      if (levels_ != nullptr) std::fill(levels_ + first, levels_ + last, unreached);
      if (parents_ != nullptr) std::fill(parents_ + first, parents_ + last, no_vertex);
    });
  }

  void reach(vertex_handle v, vertex_handle from, std::uint32_t depth) noexcept {
    if (levels_ != nullptr) levels_[v] = depth;
    if (parents_ != nullptr) parents_[v] = from;
  }

  /// Takes what one thread going down has found: to the queue, or where that is full, to the set.
  class sink {
   public:
    /// `alone`: no other thread goes down.
    sink(bfs_search& search, found& all, std::uint32_t depth, bool alone)
        : search_(search), all_(all), depth_(depth), alone_(alone) {}
    sink(const sink&) = delete;
    sink& operator=(const sink&) = delete;

    void follow_arcs_of(vertex_handle v) {
      for (const vertex_handle neighbour : search_.graph_.neighbours(v)) {
        if (search_.visited_.contains_atomically(neighbour)) continue;
        if (alone_) {
          search_.visited_.add(neighbour);
        } else if (!search_.visited_.add_atomically(neighbour)) {
          continue;
        }
        search_.reach(neighbour, v, depth_);
        arcs_ += search_.graph_.degree(neighbour);
        buffer_[size_++] = neighbour;
        if (size_ == buffer_.size()) flush();
      }
    }
    void flush() noexcept {
      if (size_ == 0) return;
      const std::uint64_t place = all_.vertices.fetch_add(size_, std::memory_order_relaxed);
      all_.arcs.fetch_add(std::exchange(arcs_, 0), std::memory_order_relaxed);
      const std::size_t size = std::exchange(size_, 0);
      if (place + size <= search_.words_) {
        std::copy_n(buffer_.data(), size, search_.next_queue_ + place);
        return;
      }
      // All that comes later finds no place either.
      std::uint64_t full = search_.queued_.load(std::memory_order_relaxed);
      while (place < full && !search_.queued_.compare_exchange_weak(full, place, std::memory_order_relaxed)) {
      }
      for (std::size_t i = 0; i < size; ++i) search_.next_.add_atomically(buffer_[i]);
    }

   private:
    bfs_search& search_;
    found& all_;
    std::uint32_t depth_;
    bool alone_;
    std::uint64_t arcs_ = 0;
    std::size_t size_ = 0;
    std::array<vertex_handle, 512> buffer_;
  };

  level down(const level& now, std::uint32_t depth) {
    found all;
    queued_.store(words_, std::memory_order_relaxed);
    if (now.is_queued) {
      // Of about a thousand arcs: in less time no other thread wakes up.
      const std::uint64_t pieces = std::clamp<std::uint64_t>(now.arcs / 1024, 1, 16 * threads_);
      const bool alone = threads_ == 1 || pieces == 1;
      workload::parallel_for(threads_, now.vertices, (now.vertices + pieces - 1) / pieces,
                             [&](std::size_t begin, std::size_t end) {
                               sink mine(*this, all, depth, alone);
                               for (std::size_t i = begin; i < end; ++i) mine.follow_arcs_of(queue_[i]);
                               mine.flush();
                             });
    } else {
      workload::parallel_for(threads_, words_, words_of_piece, [&](std::size_t begin, std::size_t end) {
        sink mine(*this, all, depth, threads_ == 1);
        for (std::size_t i = begin; i < end; ++i) {
          bit_set::each(i, std::exchange(frontier_.word(i), 0),
                        [&](vertex_handle v) { mine.follow_arcs_of(v); });
        }
        mine.flush();
      });
    }
    level after{all.vertices.load(std::memory_order_relaxed), all.arcs.load(std::memory_order_relaxed), true};
    const std::uint64_t queued = std::min(after.vertices, queued_.load(std::memory_order_relaxed));
    std::swap(queue_, next_queue_);
    if (after.vertices != queued) {
      std::swap(frontier_, next_);
      add_queue_to_frontier(queued);
      after.is_queued = false;
    }
    return after;
  }

  level up(const level& now, std::uint32_t depth) {
    if (now.is_queued) add_queue_to_frontier(now.vertices);
    found all;
    workload::parallel_for(threads_, words_, words_of_piece, [&](std::size_t begin, std::size_t end) {
      std::uint64_t vertices = 0;
      std::uint64_t arcs = 0;
      for (std::size_t i = begin; i < end; ++i) {
        // Bits beyond the last vertex are nobody's.
        const std::size_t beyond = std::min<std::size_t>(64, graph_.size() - i * 64);
        const std::uint64_t there = beyond == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << beyond) - 1;
        std::uint64_t reached = 0;
        bit_set::each(i, ~visited_.word(i) & there, [&](vertex_handle v) {
          visit_incoming(graph_, v, [&](vertex_handle from) {
            if (!frontier_.contains(from)) return true;
            reach(v, from, depth);
            reached |= std::uint64_t{1} << (v % 64);
            arcs += graph_.degree(v);
            return false;
          });
        });
        if (reached == 0) continue;
        next_.word(i) = reached;
        visited_.word(i) |= reached;
        vertices += static_cast<std::uint64_t>(std::popcount(reached));
      }
      all.add(vertices, arcs);
    });
    std::swap(frontier_, next_);
    workload::parallel_for(threads_, words_, words_of_piece * 16, [&](std::size_t begin, std::size_t end) {
      std::fill(&next_.word(0) + begin, &next_.word(0) + end, 0);
    });
    level after{all.vertices.load(std::memory_order_relaxed), all.arcs.load(std::memory_order_relaxed),
                false};
    if (after.vertices <= words_) take_frontier_to_queue(after);
    return after;
  }

  void add_queue_to_frontier(std::uint64_t vertices) noexcept {
    for (std::uint64_t i = 0; i < vertices; ++i) frontier_.add(queue_[i]);
  }
  void take_frontier_to_queue(level& now) noexcept {
    std::size_t size = 0;
    for (std::size_t i = 0; i < words_; ++i)
      bit_set::each(i, std::exchange(frontier_.word(i), 0), [&](vertex_handle v) { queue_[size++] = v; });
    now.is_queued = true;
  }

  // A view's members are read at each step: by value they need not be read again after each store.
  const std::conditional_t<std::is_trivially_copyable_v<Graph>, Graph, const Graph&> graph_;
  std::uint32_t* const levels_;
  vertex_handle* const parents_;
  const unsigned threads_;
  const std::size_t words_;
  bit_set visited_;
  bit_set frontier_;
  bit_set next_;  // empty between levels
  vertex_handle* queue_;
  vertex_handle* next_queue_;
  std::atomic<std::uint64_t> queued_{0};  // of `next_queue_`: what comes behind went to `next_`
};

}  // namespace detail
}  // namespace perdure::graph
