// `.sg` and `.wsg`: a CSR as the GAP Benchmark Suite writes it.
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string_view>

namespace perdure::graph::formats {

/// A byte (1: directed), the numbers of arcs and of vertices, the first offset; all but the byte of 64 bits.
struct gapbs_header {
  static constexpr std::size_t size = 17;

  bool is_directed = false;
  std::uint64_t arcs = 0;
  std::uint64_t vertices = 0;

  /// Of the first bytes of a file; 17 of them.
  static gapbs_header at(const char* bytes) noexcept;
  /// What the header says of the length of the whole, or 0 where no file is so long.
  std::uint64_t length(bool has_weights) const noexcept;
  /// Whether bytes that begin a file may be this: 25 of them.
  static bool may_be(std::string_view head) noexcept;
};

/// Throws `line_error` where the header cannot be right.
std::unique_ptr<graph_file> open_gapbs(std::unique_ptr<workload::byte_stream> stream, bool has_weights);

}  // namespace perdure::graph::formats
