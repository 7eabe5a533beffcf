// Streams of edges in batches, from which several threads may draw.
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

/// Number of one of several equal parts of all edges, for example one part for each rank of a program.
struct source_share {
  std::uint64_t part = 0;   ///< number of the part, from 0
  std::uint64_t parts = 1;  ///< number of parts
};

/// A stream of edges in batches of bounded size, so that ingestion needs bounded memory. Derive from it to
/// add edges of a format or a generator of your own.
///
/// Thread safety: any threads may call `next` and `progress` at once. Each edge is handed out exactly once.
class edge_source {
 public:
  edge_source() = default;
  edge_source(const edge_source&) = delete;
  edge_source& operator=(const edge_source&) = delete;
  virtual ~edge_source() = default;

  /// Replaces the content of `batch` by the next edges. Returns false at the end. A batch may be empty before
  /// the end. After an exception the source is at its end for every thread.
  virtual bool next(edge_batch& batch) = 0;

  /// Returns how much was drawn, in a unit that the source chooses.
  virtual workload::progress progress() const noexcept = 0;

  /// Returns ids that are vertices even if no edge has them. Known before the first edge is drawn.
  virtual id_range declared_vertices() const noexcept { return {}; }

  /// Returns the number of malformed lines that were left out so far. 0 unless the source was asked to skip
  /// them.
  virtual std::uint64_t skipped_lines() const noexcept { return 0; }

  /// Returns the number of columns that were ignored in the first line that has any.
  virtual unsigned ignored_columns() const noexcept { return 0; }

  /// Returns the names of properties of vertices and edges that were found so far and not kept.
  virtual std::vector<std::string> left_out() const { return {}; }

  /// Moves out the vertex attributes that were found, if they are kept
  /// (`graph_file_options::keep_attributes`). Call it once, at the end.
  virtual std::vector<vertex_attribute> take_vertex_attributes() { return {}; }
  /// Moves out the edge attributes that were found, if they are kept. Call it once, at the end. The result
  /// has no attributes if the source has met none.
  virtual attributed_edges take_edge_attributes() { return {}; }
};

/// Edges in memory. The span must outlive the source.
class span_source final : public edge_source {
 public:
  /// Hands out `edges` in batches of at most `batch_size`.
  explicit span_source(std::span<const edge> edges, std::size_t batch_size = std::size_t{1} << 14)
      : edges_(edges), batch_size_(batch_size) {}

  /// Replaces the content of `batch` by the next edges. Returns false at the end. Throws `std::bad_alloc`.
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
  /// Returns the number of edges handed out.
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
