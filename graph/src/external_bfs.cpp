#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <perdure/error.hpp>
#include <perdure/graph/external_bfs.hpp>
#include <perdure/graph/parallel.hpp>
#include <string>
#include <utility>

#include "relaxed.hpp"

namespace perdure::graph {
namespace {

using level_ref = std::atomic_ref<std::uint32_t>;
using word_ref = std::atomic_ref<std::uint64_t>;
constexpr std::size_t words_of_piece = 64;  // a piece of work: 4096 vertices

constexpr std::uint64_t bit_of(vertex_handle v) noexcept {
  return std::uint64_t{1} << (v % 64);
}

class external_search {
 public:
  external_search(const csr_view& graph, bfs_arrays arrays, unsigned threads)
      : graph_(graph), arrays_(arrays), threads_(threads), words_(bfs_arrays::words_for(graph.size())) {}

  bfs_summary run(vertex_handle source) {
    std::fill_n(arrays_.levels.begin(), graph_.size(), unreached);
    std::fill_n(arrays_.frontier.begin(), words_, 0);
    arrays_.levels[source] = 0;
    arrays_.frontier[source / 64] = bit_of(source);
    found made{1, graph_.degree(source)};
    std::uint64_t unexplored = graph_.targets.size();
    bool upward = false;
    bfs_summary result;
    for (std::uint32_t depth = 0; made.vertices != 0; ++depth) {
      result.histogram.push_back(made.vertices);
      result.reached += made.vertices;
      // The thresholds of `bfs`.
      upward =
          graph_.symmetric && (upward ? made.vertices > graph_.size() / 18 : made.arcs > unexplored / 15);
      unexplored -= std::min(unexplored, made.arcs);
      std::fill_n(arrays_.next.begin(), words_, 0);
      made = upward ? bottom_up(depth) : top_down(depth);
      std::swap(arrays_.frontier, arrays_.next);
    }
    return result;
  }

 private:
  struct found {
    std::uint64_t vertices = 0;
    std::uint64_t arcs = 0;
  };

  /// `work(first word, end, count)` for pieces of the vertices; what all of them found.
  template <class Work>
  found in_pieces(Work&& work) {
    std::atomic<std::uint64_t> vertices{0};
    std::atomic<std::uint64_t> arcs{0};
    parallel_for(threads_, words_, words_of_piece, [&](std::size_t begin, std::size_t end) {
      found here;
      work(begin, end, here);
      vertices.fetch_add(here.vertices, relaxed);
      arcs.fetch_add(here.arcs, relaxed);
    });
    return {vertices.load(relaxed), arcs.load(relaxed)};
  }

  found top_down(std::uint32_t depth) {
    return in_pieces([&](std::size_t begin, std::size_t end, found& here) {
      for (std::size_t word = begin; word < end; ++word) {
        for (std::uint64_t left = arrays_.frontier[word]; left != 0; left &= left - 1) {
          const auto v =
              static_cast<vertex_handle>(word * 64 + static_cast<unsigned>(std::countr_zero(left)));
          for (const vertex_handle neighbour : graph_.neighbours(v)) {
            level_ref level(arrays_.levels[neighbour]);
            std::uint32_t expected = unreached;
            if (level.load(relaxed) != unreached ||
                !level.compare_exchange_strong(expected, depth + 1, relaxed))
              continue;
            word_ref(arrays_.next[neighbour / 64]).fetch_or(bit_of(neighbour), relaxed);
            ++here.vertices;
            here.arcs += graph_.degree(neighbour);
          }
        }
      }
    });
  }

  // A word of `next` belongs to the one thread that has its piece.
  found bottom_up(std::uint32_t depth) {
    return in_pieces([&](std::size_t begin, std::size_t end, found& here) {
      for (std::size_t word = begin; word < end; ++word) {
        std::uint64_t reached = 0;
        const std::size_t last = std::min(graph_.size(), (word + 1) * 64);
        for (std::size_t v = word * 64; v < last; ++v) {
          if (arrays_.levels[v] != unreached) continue;
          for (const vertex_handle neighbour : graph_.neighbours(static_cast<vertex_handle>(v))) {
            if ((arrays_.frontier[neighbour / 64] & bit_of(neighbour)) == 0) continue;
            arrays_.levels[v] = depth + 1;
            reached |= bit_of(static_cast<vertex_handle>(v));
            ++here.vertices;
            here.arcs += graph_.degree(static_cast<vertex_handle>(v));
            break;
          }
        }
        if (reached != 0) arrays_.next[word] = reached;
      }
    });
  }

  csr_view graph_;
  bfs_arrays arrays_;
  unsigned threads_;
  std::size_t words_;
};

}  // namespace

bfs_summary external_bfs(const csr_view& graph, vertex_handle source, bfs_arrays arrays, unsigned threads) {
  if (source >= graph.size())
    throw error(errc::not_found, "vertex " + std::to_string(source) + " is not in the graph");
  const std::size_t words = bfs_arrays::words_for(graph.size());
  if (arrays.levels.size() < graph.size() || arrays.frontier.size() < words || arrays.next.size() < words)
    throw error(errc::invalid_argument, "an array of the search is shorter than the graph's " +
                                            std::to_string(graph.size()) + " vertices need");
  return external_search(graph, arrays, threads).run(source);
}

}  // namespace perdure::graph
