// Writes graphs of stores and graphs of files in the formats of `write_graph.hpp`, with names and times.
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

/// Returns the format that a file name asks for: by `.mtx`, `.sg`, `.wsg`, `.graphml` and `.xml`, otherwise
/// an edge list.
written_format written_format_of(const std::filesystem::path& path);
/// Returns the name of a format: "text", "mtx", "gapbs", "graphml".
const char* name_of(written_format format) noexcept;

/// Options of `export_graph` and `convert_graph`.
struct export_options {
  written_format format = written_format::edge_list;  ///< format of the file
  bool with_weights = true;                           ///< writes weights, if the graph has some
  unsigned threads = 1;                               ///< threads that index an adjacency list
  /// Called with a line for each vertex, its name or its id, in the order in which formats number vertices.
  std::function<void(std::string_view)> write_id = {};
  /// Arrays of the graph's store, whose properties of a CSR are written as GraphML (`properties.hpp`). Null:
  /// no properties are written.
  array_store* arrays = nullptr;
};

/// Counts of a graph that was written.
struct exported_graph {
  std::uint64_t vertices = 0;              ///< number of vertices
  std::uint64_t arcs = 0;                  ///< number of arcs: an undirected edge has two, a loop has one
  bool undirected = false;                 ///< the graph is undirected
  std::vector<std::string> left_out = {};  ///< names of properties that were not written
};

/// Passes the bytes of the file to `write`, piece by piece. They contain ids or names, weights, times of a
/// growing graph, and properties of a CSR that are numbers or texts. For an undirected edge the property of
/// the arc from the larger id is written. A graph with weights leaves out a property of edges called
/// `weight`. For a growing graph the list is written, not its frozen form. Throws what `write_graph` throws.
exported_graph export_graph(const stored_graph& graph, const export_options& options,
                            const std::function<void(std::string_view)>& write);

/// Options of `convert_graph`.
struct convert_options {
  /// Direction of the graph; nothing: that of the inputs, directed if they have none.
  std::optional<direction> kind = {};
  duplicate_edges duplicates = duplicate_edges::keep;  ///< treatment of parallel edges
  /// Names whose numbers the inputs' ids are, like `time_append_options::names`.
  const memory_names* names = nullptr;
  reading_watch watch = {};  ///< called before each input is read
};

/// Reads the inputs into ordinary memory and writes them as one graph, with edges in the order of the inputs.
/// Throws what reading throws, before anything is written, and what `write_graph` throws.
exported_graph convert_graph(std::vector<graph_input>& inputs, const convert_options& how,
                             const export_options& options,
                             const std::function<void(std::string_view)>& write);

}  // namespace perdure::graph
