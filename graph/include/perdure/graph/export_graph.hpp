// Writes graphs of stores, and graphs of files, in the formats of `write_graph.hpp`, with names and times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/graph/graph_inputs.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/graph/write_graph.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Returns the format for a file of this name: by `.mtx`, `.sg`, `.wsg`, `.graphml` and `.xml`, else an edge
/// list.
written_format written_format_of(const std::filesystem::path& path);
/// Returns the format's name: "text", "mtx", "gapbs", "graphml".
const char* name_of(written_format format) noexcept;

struct export_options {
  written_format format = written_format::edge_list;
  bool with_weights = true;
  unsigned threads = 1;
  /// Called with a line for each vertex, its name or its id, in the order in which formats number vertices.
  std::function<void(std::string_view)> write_id = {};
  /// Arrays of the graph's store: properties of a CSR are written as GraphML too (`properties.hpp`). Null:
  /// none is.
  array_store* arrays = nullptr;
};

struct exported_graph {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  bool undirected = false;
  std::vector<std::string> left_out = {};  ///< names of properties that were not written
};

/// Passes the file's bytes to `write`, piece by piece: ids or names, weights, times of a growing graph, and
/// properties of a CSR that are numbers or texts. Of an undirected edge the property is that of the arc from
/// the larger id. A property of edges called `weight` is left out of a graph with weights. The list of a
/// growing graph is written, not its frozen form. Throws as `write_graph`.
exported_graph export_graph(const stored_graph& graph, const export_options& options,
                            const std::function<void(std::string_view)>& write);

struct convert_options {
  std::optional<direction> kind = {};  ///< nothing: as the inputs are, else directed
  duplicate_edges duplicates = duplicate_edges::keep;
  const memory_names* names = nullptr;  ///< like in `time_append_options`
  reading_watch watch = {};             ///< called before each input is read
};

/// Reads the inputs into ordinary memory and writes them as one graph. Edges keep the order of the inputs.
/// Throws what reading throws, before anything is written, and as `write_graph`.
exported_graph convert_graph(std::vector<graph_input>& inputs, const convert_options& how,
                             const export_options& options,
                             const std::function<void(std::string_view)>& write);

}  // namespace perdure::graph
