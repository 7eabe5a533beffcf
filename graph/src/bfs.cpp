// Top-down steps scan the edges out of the frontier; bottom-up steps let every unreached vertex look for
// a neighbour in the frontier and stop at the first one, which wins when the frontier is large.
#include <atomic>
#include <cstddef>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/graph/bfs.hpp>
#include <string>

#include "relaxed.hpp"

namespace perdure::graph {
namespace {

using level_ref = std::atomic_ref<std::uint32_t>;

class search {
 public:
  search(const vertex_index& graph, unsigned threads, bfs_result& result)
      : graph_(graph), threads_(threads), levels_(result.levels) {}

  void run(vertex_handle source, bfs_result& result) {
    levels_.assign(graph_.size(), unreached);
    levels_[source] = 0;
    frontier_ = {source};
    frontier_arcs_ = graph_.neighbours(source).size();
    std::uint64_t frontier_size = 1;
    std::uint64_t unexplored = graph_.arcs();
    bool upward = false;
    for (std::uint32_t depth = 0; frontier_size != 0; ++depth) {
      result.histogram.push_back(frontier_size);
      result.reached += frontier_size;
      // The paper's thresholds, alpha = 15 and beta = 18.
      const bool want_upward = graph_.symmetric() && (upward ? frontier_size > graph_.size() / 18
                                                             : frontier_arcs_ > unexplored / 15);
      unexplored -= std::min(unexplored, frontier_arcs_);
      if (!want_upward && upward) collect_frontier(depth);
      upward = want_upward;
      frontier_size = upward ? bottom_up(depth) : top_down(depth);
    }
  }

 private:
  std::uint64_t top_down(std::uint32_t depth) {
    std::vector<vertex_handle> next;
    std::uint64_t next_arcs = 0;
    std::mutex mutex;
    parallel_for(threads_, frontier_.size(), 512, [&](std::size_t begin, std::size_t end) {
      std::vector<vertex_handle> found;
      std::uint64_t arcs = 0;
      for (std::size_t i = begin; i < end; ++i) {
        for (const vertex_id neighbour : graph_.neighbours(frontier_[i])) {
          const vertex_handle h = graph_.find(neighbour);
          level_ref level(levels_[h]);
          std::uint32_t expected = unreached;
          if (level.load(relaxed) == unreached &&
              level.compare_exchange_strong(expected, depth + 1, relaxed)) {
            found.push_back(h);
            arcs += graph_.neighbours(h).size();
          }
        }
      }
      const std::lock_guard lock(mutex);
      next.insert(next.end(), found.begin(), found.end());
      next_arcs += arcs;
    });
    frontier_ = std::move(next);
    frontier_arcs_ = next_arcs;
    return frontier_.size();
  }

  // Each vertex is written by the one thread that has its piece; others may read its level meanwhile, but
  // a level of depth + 1 is not what they look for.
  std::uint64_t bottom_up(std::uint32_t depth) {
    std::atomic<std::uint64_t> found{0};
    std::atomic<std::uint64_t> found_arcs{0};
    parallel_for(threads_, graph_.size(), 4096, [&](std::size_t begin, std::size_t end) {
      std::uint64_t count = 0;
      std::uint64_t arcs = 0;
      for (std::size_t v = begin; v < end; ++v) {
        level_ref level(levels_[v]);
        if (level.load(relaxed) != unreached) continue;
        const auto neighbours = graph_.neighbours(static_cast<vertex_handle>(v));
        for (const vertex_id neighbour : neighbours) {
          if (level_ref(levels_[graph_.find(neighbour)]).load(relaxed) != depth) continue;
          level.store(depth + 1, relaxed);
          ++count;
          arcs += neighbours.size();
          break;
        }
      }
      found.fetch_add(count, relaxed);
      found_arcs.fetch_add(arcs, relaxed);
    });
    frontier_arcs_ = found_arcs.load(relaxed);
    return found.load(relaxed);
  }

  // Back to a list of vertices after bottom-up steps, which keep none.
  void collect_frontier(std::uint32_t depth) {
    frontier_.clear();
    for (std::size_t v = 0; v < levels_.size(); ++v)
      if (levels_[v] == depth) frontier_.push_back(static_cast<vertex_handle>(v));
  }

  const vertex_index& graph_;
  unsigned threads_;
  std::vector<std::uint32_t>& levels_;
  std::vector<vertex_handle> frontier_;
  std::uint64_t frontier_arcs_ = 0;
};

}  // namespace

bfs_result bfs(const vertex_index& graph, vertex_id source, unsigned threads) {
  const vertex_handle start = graph.find(source);
  if (start == no_vertex)
    throw error(errc::not_found, "vertex " + std::to_string(source) + " is not in the graph");
  bfs_result result;
  search(graph, threads, result).run(start, result);
  return result;
}

}  // namespace perdure::graph
