// Edges as records of fixed size, without a header: pairs of 64-bit numbers, and Graph500's packed edges.
#pragma once

#include <memory>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>

namespace perdure::graph::formats {

/// `format` is `binary` or `graph500`. Drawing throws `line_error` where the last edge is cut off.
std::unique_ptr<graph_file> open_edge_records(std::unique_ptr<workload::byte_stream> stream,
                                              graph_format format);

}  // namespace perdure::graph::formats
