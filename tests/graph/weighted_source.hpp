// Edges of a test, as files have them.
#pragma once

#include <cstddef>
#include <mutex>
#include <perdure/graph/edge_source.hpp>
#include <utility>
#include <vector>

namespace perdure::test {

/// Edges with values.
class weighted_source final : public graph::edge_source {
 public:
  explicit weighted_source(std::vector<std::pair<graph::edge, double>> edges) : edges_(std::move(edges)) {}
  bool next(graph::edge_batch& batch) override {
    batch.clear();
    const std::lock_guard lock(mutex_);
    for (; position_ < edges_.size() && batch.edges.size() < 50; ++position_) {
      batch.edges.push_back(edges_[position_].first);
      batch.values.push_back(edges_[position_].second);
    }
    return !batch.edges.empty();
  }
  workload::progress progress() const noexcept override { return {}; }

 private:
  std::mutex mutex_;
  std::vector<std::pair<graph::edge, double>> edges_;
  std::size_t position_ = 0;
};

}  // namespace perdure::test
