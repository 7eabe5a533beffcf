// Threads fill chunks of their own; short ids take half of the memory, so a chunk is wide only if it must be.
#include "drawn_edges.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <perdure/graph/detail/draw_batches.hpp>
#include <utility>

namespace perdure::graph::detail {
namespace {

// Also the piece of work of what comes after.
constexpr std::size_t edges_of_chunk = std::size_t{1} << 18;

class chunk_filler {
 public:
  chunk_filler(drawn_edges& all, std::mutex& mutex, bool with_values)
      : all_(all), mutex_(mutex), with_values_(with_values) {}

  void take(const edge_batch& batch) {
    vertex_id largest = 0;
    for (const edge& e : batch.edges) largest = std::max({largest, e.source, e.target});
    largest_ = std::max(largest_, largest);
    for (const vertex_id v : batch.vertices) largest_ = std::max(largest_, v);
    vertices_.insert(vertices_.end(), batch.vertices.begin(), batch.vertices.end());
    if (largest > std::numeric_limits<std::uint32_t>::max()) widen();
    if (!is_wide_ && chunk_.narrow.empty()) chunk_.narrow.reserve(edges_of_chunk + batch.edges.size());
    if (!is_wide_) {
      for (const edge& e : batch.edges)
        chunk_.narrow.push_back({static_cast<std::uint32_t>(e.source), static_cast<std::uint32_t>(e.target)});
    } else {
      chunk_.wide.insert(chunk_.wide.end(), batch.edges.begin(), batch.edges.end());
    }
    if (with_values_) {
      chunk_.values.insert(chunk_.values.end(), batch.values.begin(), batch.values.end());
      chunk_.values.resize(chunk_.size());
    }
    if (chunk_.size() >= edges_of_chunk) give();
  }

  void finish() {
    chunk_.narrow.shrink_to_fit();
    give();
    const std::lock_guard lock(mutex_);
    all_.largest_id = std::max(all_.largest_id, largest_);
    all_.vertices.insert(all_.vertices.end(), vertices_.begin(), vertices_.end());
  }

 private:
  void widen() {
    if (is_wide_) return;
    is_wide_ = true;
    chunk_.wide.reserve(edges_of_chunk);
    for (const short_edge& e : chunk_.narrow) chunk_.wide.push_back({e.source, e.target});
    chunk_.narrow = {};
  }

  void give() {
    if (chunk_.size() == 0) return;
    const std::lock_guard lock(mutex_);
    all_.edges += chunk_.size();
    all_.chunks.push_back(std::exchange(chunk_, {}));
    is_wide_ = false;
  }

  drawn_edges& all_;
  std::mutex& mutex_;
  bool with_values_;
  vertex_id largest_ = 0;
  std::vector<vertex_id> vertices_;
  edge_chunk chunk_;
  bool is_wide_ = false;
};

}  // namespace

drawn_edges draw_edges(edge_source& source, unsigned threads, bool with_values) {
  drawn_edges all;
  std::mutex mutex;
  draw_batches(source, threads, std::numeric_limits<std::uint64_t>::max(),
               [&] { return chunk_filler(all, mutex, with_values); });
  all.declared = source.declared_vertices();
  if (all.declared.count != 0)
    all.largest_id = std::max(all.largest_id, all.declared.first + (all.declared.count - 1));
  return all;
}

}  // namespace perdure::graph::detail
