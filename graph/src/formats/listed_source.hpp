// A file of a format that lists nodes before edges, read a piece at a time by whichever thread asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string>
#include <utility>
#include <vector>

#include "listed_elements.hpp"

namespace perdure::graph::formats {

class listed_source : public graph_file, protected listed_elements {
 public:
  bool next(edge_batch& batch) final {
    batch.clear();
    const std::lock_guard lock(mutex_);
    if (has_failed_) return false;
    has_failed_ = true;  // stays so when anything below throws: what waits is then handed out to nobody
    while (!has_ended_ && waiting() < enough) has_ended_ = !read_some();
    hand_out(batch);
    has_failed_ = false;
    return !batch.edges.empty() || !batch.vertices.empty();
  }
  workload::progress progress() const noexcept final { return stream_->progress(); }
  std::vector<vertex_attribute> take_vertex_attributes() final {
    const std::lock_guard lock(mutex_);
    return take_attributes();
  }
  attributed_edges take_edge_attributes() final {
    const std::lock_guard lock(mutex_);
    return take_attributed_edges();
  }
  std::vector<std::string> left_out() const final {
    const std::lock_guard lock(mutex_);
    return names_left_out();
  }

 protected:
  listed_source(std::unique_ptr<workload::byte_stream> stream, const graph_file_options& options,
                order_of_nodes order)
      : listed_elements(options, order), stream_(std::move(stream)) {}

  workload::byte_stream& stream() noexcept { return *stream_; }
  /// Reads until all is known that the first edge tells. Constructors call it.
  void read_to_first_edge() {
    while (!has_ended_ && !has_edges()) has_ended_ = !read_some();
  }
  workload::line_error error_at(file_place place, const std::string& what) const final {
    return {stream_->name() + ": line " + std::to_string(place.line) + ", column " +
                std::to_string(place.column) + ": " + what,
            place.line, place.column};
  }

 private:
  static constexpr std::size_t enough = std::size_t{1} << 14;

  /// Takes in some more. Returns whether there is more behind it.
  virtual bool read_some() = 0;

  mutable std::mutex mutex_;
  std::unique_ptr<workload::byte_stream> stream_;
  bool has_ended_ = false;
  bool has_failed_ = false;
};

}  // namespace perdure::graph::formats
