// A file whose weights are left out, as was asked for.
#pragma once

#include <memory>
#include <perdure/graph/graph_file.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perdure::graph::formats {

class unweighted final : public graph_file {
 public:
  explicit unweighted(std::unique_ptr<graph_file> file) : file_(std::move(file)), info_(file_->info()) {
    info_.has_weights = false;
    info_.description += ", weights left out";
  }

  bool next(edge_batch& batch) override {
    const bool has_more = file_->next(batch);
    batch.values.clear();
    return has_more;
  }
  workload::progress progress() const noexcept override { return file_->progress(); }
  id_range declared_vertices() const noexcept override { return file_->declared_vertices(); }
  std::uint64_t skipped_lines() const noexcept override { return file_->skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return file_->ignored_columns(); }
  std::vector<std::string> left_out() const override { return file_->left_out(); }
  std::vector<vertex_attribute> take_vertex_attributes() override { return file_->take_vertex_attributes(); }
  attributed_edges take_edge_attributes() override {
    attributed_edges taken = file_->take_edge_attributes();
    taken.weights.clear();
    return taken;
  }
  const graph_file_info& info() const noexcept override { return info_; }

 private:
  std::unique_ptr<graph_file> file_;
  graph_file_info info_;
};

}  // namespace perdure::graph::formats
