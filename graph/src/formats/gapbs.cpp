// Nothing that the header says is believed before the bytes are there: a truncated file is an error and never
// an empty graph.
#include "gapbs.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <perdure/workload/line_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "exact_reader.hpp"

namespace perdure::graph::formats {
namespace {

// Handles there are 32-bit numbers with a sign.
constexpr std::uint64_t most_of_gapbs = std::uint64_t{1} << 31;
constexpr std::size_t piece = std::size_t{1} << 15;

class gapbs_source final : public graph_file {
 public:
  gapbs_source(std::unique_ptr<workload::byte_stream> stream, bool has_weights)
      : stream_(std::move(stream)), record_(has_weights ? 8 : 4) {
    char head[gapbs_header::size];
    if (read_whole(*stream_, head, sizeof head) != sizeof head) fail("the file ends within its header");
    header_ = gapbs_header::at(head);
    if ((head[0] & ~1) != 0) fail("the first byte of a GAPBS graph is 0 or 1");
    if (header_.vertices > most_of_gapbs || header_.length(has_weights) == 0)
      fail("the header says " + std::to_string(header_.vertices) + " vertices and " +
           std::to_string(header_.arcs) + " arcs, which no file has");
    if (!stream_->is_encoded() && stream_->length() != 0 && stream_->length() != header_.length(has_weights))
      fail("by its header (" + std::to_string(header_.vertices) + " vertices, " +
           std::to_string(header_.arcs) + " arcs) it should have " +
           std::to_string(header_.length(has_weights)) + " bytes, and it has " +
           std::to_string(stream_->length()) +
           (stream_->length() < header_.length(has_weights) ? " (truncated file?)" : ""));
    info_.format = graph_format::gapbs;
    info_.kind = header_.is_directed ? direction::directed : direction::undirected;
    info_.has_weights = has_weights;
    info_.description = std::string(has_weights ? "GAPBS .wsg" : "GAPBS .sg") +
                        (header_.is_directed ? ", directed" : ", undirected");
  }

  bool next(edge_batch& batch) override {
    batch.clear();
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    ended_ = true;  // stays so when anything below throws
    if (offsets_.empty()) read_offsets();
    if (taken_ == header_.arcs) {
      finish();
      return false;
    }
    const std::size_t count = std::min<std::uint64_t>(piece, header_.arcs - taken_);
    bytes_.resize(count * record_);
    if (read_whole(*stream_, bytes_.data(), bytes_.size()) != bytes_.size())
      fail("the file ends within its neighbours (truncated file?)");
    for (std::size_t i = 0; i < count; ++i, ++taken_) {
      while (taken_ >= offsets_[row_ + 1]) ++row_;
      const auto target = little_endian<std::int32_t>(bytes_.data() + i * record_);
      if (target < 0 || static_cast<std::uint64_t>(target) >= header_.vertices)
        throw workload::line_error(stream_->name() + ": neighbour " + std::to_string(taken_ + 1) +
                                       " is vertex " + std::to_string(target) + ", and the header says " +
                                       std::to_string(header_.vertices) + " vertices",
                                   taken_ + 1, 0);
      const auto to = static_cast<vertex_id>(target);
      upward_ += row_ < to ? 1U : 0U;
      downward_ += row_ > to ? 1U : 0U;
      // The other end's list has it too.
      if (!header_.is_directed && row_ > to) continue;
      batch.edges.push_back({row_, to});
      if (info_.has_weights)
        batch.values.push_back(little_endian<std::int32_t>(bytes_.data() + i * record_ + 4));
    }
    ended_ = false;
    return true;
  }
  workload::progress progress() const noexcept override { return stream_->progress(); }
  id_range declared_vertices() const noexcept override { return {0, header_.vertices}; }
  const graph_file_info& info() const noexcept override { return info_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw workload::line_error(stream_->name() + ": " + what, 1, 0);
  }

  void read_offsets() {
    std::vector<char> bytes;
    std::uint64_t left = header_.vertices + 1;
    while (left != 0) {
      const std::size_t count = std::min<std::uint64_t>(left, piece);
      bytes.resize(count * 8);
      if (read_whole(*stream_, bytes.data(), bytes.size()) != bytes.size())
        fail("the file ends within its offsets (truncated file?)");
      for (std::size_t i = 0; i < count; ++i) {
        const auto offset = little_endian<std::uint64_t>(bytes.data() + i * 8);
        if (offset < (offsets_.empty() ? 0 : offsets_.back()) || offset > header_.arcs ||
            (offsets_.empty() && offset != 0))
          fail("offset " + std::to_string(offsets_.size()) + " is " + std::to_string(offset) +
               ", which is out of order");
        offsets_.push_back(offset);
      }
      left -= count;
    }
    if (offsets_.back() != header_.arcs)
      fail("the last offset is " + std::to_string(offsets_.back()) + ", and the header says " +
           std::to_string(header_.arcs) + " arcs");
  }

  void finish() {
    if (!header_.is_directed && upward_ != downward_)
      fail("the header says that it is undirected, and not each edge is at both its ends");
    // A directed graph is there again, turned round.
    std::uint64_t rest = header_.is_directed ? (header_.vertices + 1) * 8 + header_.arcs * record_ : 0;
    bytes_.resize(piece);
    while (rest != 0) {
      const std::size_t got = stream_->read(bytes_.data(), std::min<std::uint64_t>(rest, bytes_.size()));
      if (got == 0) fail("the file ends within its incoming arcs (truncated file?)");
      rest -= got;
    }
    if (stream_->read(bytes_.data(), 1) != 0) fail("there are more bytes than the header says");
  }

  std::mutex mutex_;
  std::unique_ptr<workload::byte_stream> stream_;
  const std::size_t record_;
  gapbs_header header_;
  graph_file_info info_;
  std::vector<std::uint64_t> offsets_;
  std::vector<char> bytes_;
  std::uint64_t taken_ = 0;
  vertex_id row_ = 0;
  std::uint64_t upward_ = 0;
  std::uint64_t downward_ = 0;
  bool ended_ = false;
};

}  // namespace

gapbs_header gapbs_header::at(const char* bytes) noexcept {
  return {(bytes[0] & 1) != 0, little_endian<std::uint64_t>(bytes + 1),
          little_endian<std::uint64_t>(bytes + 9)};
}

std::uint64_t gapbs_header::length(bool has_weights) const noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  if (arcs > most / 8 || vertices > most / 8) return 0;
  const std::uint64_t once = (vertices + 1) * 8 + arcs * (has_weights ? 8 : 4);
  return size + once * (is_directed ? 2 : 1);
}

bool gapbs_header::may_be(std::string_view head) noexcept {
  if (head.size() < size + 8 || (head[0] & ~1) != 0) return false;
  const gapbs_header header = at(head.data());
  return header.vertices != 0 && header.vertices <= most_of_gapbs && header.arcs < (std::uint64_t{1} << 40) &&
         little_endian<std::uint64_t>(head.data() + size) == 0;
}

std::unique_ptr<graph_file> open_gapbs(std::unique_ptr<workload::byte_stream> stream, bool has_weights) {
  return std::make_unique<gapbs_source>(std::move(stream), has_weights);
}

}  // namespace perdure::graph::formats
