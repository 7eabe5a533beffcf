// Graphs in files of many formats, compressed or not. The format is recognised by content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/vertex_namer.hpp>
#include <perdure/workload/line_reader.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// Format of a graph file.
enum class graph_format : std::uint8_t {
  automatic,  ///< by content, and by file name where several formats look the same
  edge_list,  ///< two ids a line and further columns, without a header: SNAP, KONECT
  csv,        ///< an edge list with a first line that names the columns
  /// Coordinate form: pattern, integer, real, complex; general, symmetric, skew-symmetric, hermitian.
  matrix_market,
  metis,     ///< a line for each vertex; also Chaco's
  dimacs,    ///< `p sp` (shortest paths, directed), `p edge` and `p col` (undirected)
  gapbs,     ///< `.sg` and `.wsg`: a CSR as the GAP Benchmark Suite writes it
  binary,    ///< pairs of little-endian 64-bit numbers
  graph500,  ///< Graph500's packed edges of 12 bytes: two 48-bit numbers
  graphml,   ///< XML: nodes, edges, data by keys
  gexf,      ///< XML, as Gephi writes it
  gml,       ///< nested lists of keys and values
  pajek,     ///< sections of vertices, and of arcs or edges
};
/// Returns the name of a format as the option `--format` takes it.
const char* name_of(graph_format format) noexcept;

/// Whether the first line of an edge list names the columns. `automatic` accepts only lines that cannot be
/// read both ways and refuses the others (docs/reference/graph.md).
enum class header_line : std::uint8_t { automatic, yes, no };

/// Real number that a complex entry becomes as a weight.
enum class complex_part : std::uint8_t { modulus, real, imaginary };

/// Options of `open_graph_file`.
struct graph_file_options {
  graph_format format = graph_format::automatic;  ///< format of the file
  header_line header = header_line::automatic;    ///< whether an edge list has a header
  /// Column of the source ids in an edge list or a CSV file: a number from 1, or a name in the header. Empty:
  /// the first column, or in a CSV file the one with a usual name (`source`, `from`, …).
  std::string source_column = {};
  /// Column of the target ids. Empty: the second column, or in a CSV file the one with a usual name
  /// (`target`, `to`, …).
  std::string target_column = {};
  /// Column of the weights; `none`: no weights. Empty: in a CSV file the column called `weight`, in an edge
  /// list without a header the third column, if there is one and it has no times.
  std::string weight_column = {};
  /// Column of the times. Empty: in a CSV file the column with a usual name (`time`, …).
  std::string time_column = {};
  complex_part part = complex_part::modulus;  ///< real number that a complex entry becomes
  /// Assigns numbers to vertices that the file calls by names. Null: ids are numbers, and names are
  /// malformed.
  vertex_namer* names = nullptr;
  /// Largest number of vertices that a header (Matrix Market, DIMACS) may declare; more is a malformed
  /// header. 0: a million, and 16 more for each edge.
  std::uint64_t max_vertices = 0;
  /// Collects attributes of vertices and edges in memory. Otherwise `left_out` lists their names.
  bool keep_attributes = false;
  bool skip_bad_lines = false;  ///< leaves out malformed lines and counts them, instead of throwing
  /// File descriptor that ends the input: once it can be read from, a pipe or a terminal counts as ended. A
  /// signal handler can so wake a thread that waits for input. -1: none.
  int end_descriptor = -1;
};

/// Properties of a graph that its file declares.
struct graph_file_info {
  graph_format format = graph_format::edge_list;  ///< format of the file
  std::optional<direction> kind;  ///< direction of the graph; nothing: the format does not say
  bool has_weights = false;       ///< batches have `values`
  bool has_times = false;         ///< batches have `times`
  std::string description;        ///< text for people: "Matrix Market, real, symmetric"
};

/// The edges of a file. Each edge is handed out once, even if the file has it at both of its ends.
class graph_file : public edge_source {
 public:
  /// Returns what the file declares. Known before the first edge is drawn.
  virtual const graph_file_info& info() const noexcept = 0;
  /// Makes this source hand out one of several parts of the edges, of about equal size. Call it before an
  /// edge is drawn. Returns false and changes nothing for files that cannot be divided: compressed files,
  /// formats whose lines or records depend on each other, and vertices with names. Every source reads all
  /// parts and parses its own.
  virtual bool keep_share(const source_share&) { return false; }
};

/// Opens a graph. `-` is standard input; compression is recognised by content, and so is the format.
///
/// Ids are those of the file: Matrix Market, METIS and DIMACS count from 1, GAPBS from 0. What formats with a
/// header promise is held against what follows: the number of vertices and of edges, and that undirected
/// graphs have each edge at both its ends. Weights and times are finite numbers, times also dates, which
/// become seconds since 1970. Every line has the columns that are kept. Matrices must be square.
/// Opens a graph. `-` is standard input. Compression and format are recognised by content.
///
/// Ids are those of the file: Matrix Market, METIS and DIMACS count from 1, GAPBS from 0. Declarations of a
/// header are checked against the content: the numbers of vertices and edges, and that undirected graphs have
/// each edge at both ends. Weights and times must be finite numbers. Times may also be dates, which become
/// seconds since 1970. Every line must have the columns that are kept. Matrices must be square.
///
/// Throws
/// - `not_found`, `permission_denied` or `io` from opening the file;
/// - `workload::line_error` for a malformed header;
/// - `invalid_argument` for a missing column, and if the format cannot be recognised.
///
/// Drawing batches throws `workload::line_error` for a malformed line; in a binary file its line is the
/// number of the edge. With several threads, the error with the smallest line is the first one of the file.
std::unique_ptr<graph_file> open_graph_file(const std::filesystem::path& path,
                                            const graph_file_options& options = {});

/// Appends `edges` to the bytes of a file of `format`: the line `source TAB target NEWLINE` for each edge
/// (`edge_list`), or 16 bytes (`binary`). Throws `unsupported` for other formats.
void append_edges(std::string& out, std::span<const edge> edges, graph_format format);

}  // namespace perdure::graph
