// Where edges come from: a stream of batches that any number of threads may draw from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/graph/edge.hpp>
#include <perdure/graph/edge_attribute.hpp>
#include <perdure/graph/vertex_attribute.hpp>
#include <perdure/workload/progress.hpp>
#include <span>
#include <string>
#include <vector>

namespace perdure::graph {

/// Which of several equal parts of all edges a source has: one of them for each rank of a program.
struct source_share {
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
};

/// A stream of edges in batches of bounded size, so that ingestion needs bounded memory.
///
/// Thread safety: `next` and `progress` may be called from any thread at once; each edge is handed out
/// exactly once.
class edge_source {
 public:
  edge_source() = default;
  edge_source(const edge_source&) = delete;
  edge_source& operator=(const edge_source&) = delete;
  virtual ~edge_source() = default;

  /// Replaces the content of `batch` by the next edges; false at the end. A batch may be empty before the
  /// end. After a throw the source is at its end for every thread.
  virtual bool next(edge_batch& batch) = 0;

  virtual workload::progress progress() const noexcept = 0;

  /// Ids that are vertices though no edge may name them, known before the first edge is drawn.
  virtual id_range declared_vertices() const noexcept { return {}; }

  /// Malformed lines left out so far (only where the source was told to skip them).
  virtual std::uint64_t skipped_lines() const noexcept { return 0; }

  /// Columns behind those that are kept, of the first line seen that has any.
  virtual unsigned ignored_columns() const noexcept { return 0; }

  /// Names of what vertices and edges have beside and is not kept, as far as it was met.
  virtual std::vector<std::string> left_out() const { return {}; }

  /// Moves out what was met of vertices' attributes, where they are kept
  /// (`graph_file_options::keep_attributes`). To be called once, at the end.
  virtual std::vector<vertex_attribute> take_vertex_attributes() { return {}; }
  /// The same of edges. Without attributes where the source has met none.
  virtual attributed_edges take_edge_attributes() { return {}; }
};

/// Edges that lie in memory. The span must outlive the source.
class span_source final : public edge_source {
 public:
  explicit span_source(std::span<const edge> edges, std::size_t batch_size = std::size_t{1} << 14)
      : edges_(edges), batch_size_(batch_size) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    std::span<const edge> part;
    {
      const std::lock_guard lock(mutex_);
      part = edges_.subspan(position_, std::min(batch_size_, edges_.size() - position_));
      position_ += part.size();
    }
    batch.edges.assign(part.begin(), part.end());
    return !part.empty();
  }
  workload::progress progress() const noexcept override {
    const std::lock_guard lock(mutex_);
    return {position_, edges_.size(), "edges"};
  }

 private:
  mutable std::mutex mutex_;
  std::span<const edge> edges_;
  std::size_t batch_size_;
  std::size_t position_ = 0;
};

}  // namespace perdure::graph
