// Whole records are read under a lock, and taken apart outside of it.
#include "edge_records.hpp"

#include <mutex>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "exact_reader.hpp"

namespace perdure::graph::formats {
namespace {

struct edge_pair {
  static constexpr std::size_t bytes = 16;
  static edge at(const char* record) noexcept {
    return {little_endian<std::uint64_t>(record), little_endian<std::uint64_t>(record + 8)};
  }
};
struct packed_edge {
  static constexpr std::size_t bytes = 12;
  static edge at(const char* record) noexcept {
    const auto high = little_endian<std::uint32_t>(record + 8);
    return {little_endian<std::uint32_t>(record) | std::uint64_t{high & 0xFFFFU} << 32,
            little_endian<std::uint32_t>(record + 4) | std::uint64_t{high >> 16} << 32};
  }
};

template <class Record>
class record_source final : public graph_file {
 public:
  record_source(std::unique_ptr<workload::byte_stream> stream, graph_file_info info)
      : stream_(std::move(stream)), info_(std::move(info)) {}

  bool next(edge_batch& batch) override {
    batch.clear();
    thread_local std::vector<char> bytes;
    bytes.resize(batch_edges * Record::bytes);
    std::size_t size = 0;
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
      ended_ = true;  // stays so when anything below throws
      size = read_whole(*stream_, bytes.data(), bytes.size());
      edges_ += size / Record::bytes;
      if (size % Record::bytes != 0)
        throw workload::line_error(
            stream_->name() + ": the length is not a multiple of " + std::to_string(Record::bytes) +
                " bytes; edge " + std::to_string(edges_ + 1) + " is cut off (truncated file, or not binary?)",
            edges_ + 1, 0);
      ended_ = size < bytes.size();
      if (blocks_++ % share_.parts != share_.part) return size != 0;
    }
    batch.edges.resize(size / Record::bytes);
    for (std::size_t i = 0; i < batch.edges.size(); ++i)
      batch.edges[i] = Record::at(bytes.data() + i * Record::bytes);
    return !batch.edges.empty();
  }
  workload::progress progress() const noexcept override { return stream_->progress(); }
  const graph_file_info& info() const noexcept override { return info_; }
  bool keep_share(const source_share& share) override {
    if (stream_->length() == 0 || stream_->is_encoded()) return false;
    share_ = share;
    return true;
  }

 private:
  static constexpr std::size_t batch_edges = std::size_t{1} << 15;

  std::mutex mutex_;
  std::unique_ptr<workload::byte_stream> stream_;
  graph_file_info info_;
  source_share share_;
  std::uint64_t edges_ = 0;
  std::uint64_t blocks_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<graph_file> open_edge_records(std::unique_ptr<workload::byte_stream> stream,
                                              graph_format format) {
  graph_file_info info;
  info.format = format;
  if (format == graph_format::graph500) {
    info.description = "Graph500, packed edges of 12 bytes";
    return std::make_unique<record_source<packed_edge>>(std::move(stream), std::move(info));
  }
  info.description = "pairs of 64-bit numbers";
  return std::make_unique<record_source<edge_pair>>(std::move(stream), std::move(info));
}

}  // namespace perdure::graph::formats
