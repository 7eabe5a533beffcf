// GML, the format of nested lists of keys and values: igraph and NetworkX write it, and many collections of
// small networks have it.
#pragma once

#include <memory>
#include <perdure/graph/graph_file.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <string_view>

namespace perdure::graph::formats {

/// Returns whether a text is GML: keys and values, and then `graph [`.
bool is_gml(std::string_view head);

/// Reads to the first edge. Nodes are called by their labels, or without `options.names` by their ids;
/// columns are edges' keys.
std::unique_ptr<graph_file> open_gml(std::unique_ptr<workload::byte_stream> stream,
                                     const graph_file_options& options);

}  // namespace perdure::graph::formats
