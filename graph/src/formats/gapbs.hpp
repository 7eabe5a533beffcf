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

  /// Reads the header from the first 17 bytes of a file.
  static gapbs_header at(const char* bytes) noexcept;
  /// Returns the length of the file according to the header, or 0 if no file is so long.
  std::uint64_t length(bool has_weights) const noexcept;
  /// Returns whether bytes that begin a file may be this: 25 of them.
  static bool may_be(std::string_view head) noexcept;
};

/// Throws `line_error` where the header cannot be right.
std::unique_ptr<graph_file> open_gapbs(std::unique_ptr<workload::byte_stream> stream, bool has_weights);

}  // namespace perdure::graph::formats
