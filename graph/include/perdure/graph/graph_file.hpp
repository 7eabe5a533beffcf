// Graphs in files, whatever the format: recognised by content, compressed or not, with what the file says of
// itself.
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

enum class graph_format : std::uint8_t {
  automatic,      ///< by content, and by name where several formats look the same
  edge_list,      ///< two ids a line and further columns, without a header: SNAP, KONECT
  csv,            ///< the same with a line of names first
  matrix_market,  ///< coordinate: pattern, integer, real, complex; general, symmetric, skew-symmetric,
                  ///< hermitian
  metis,          ///< a line for each vertex; also Chaco's
  dimacs,         ///< `p sp` (shortest paths, directed), `p edge` and `p col` (undirected)
  gapbs,          ///< `.sg` and `.wsg`: a CSR as the GAP Benchmark Suite writes it
  binary,         ///< pairs of little-endian 64-bit numbers
  graph500,       ///< Graph500's packed edges of 12 bytes: two 48-bit numbers
  graphml,        ///< XML: nodes, edges, data by keys
  gexf,           ///< XML, as Gephi writes it
  gml,            ///< nested lists of keys and values
  pajek,          ///< sections of vertices, and of arcs or edges
};
/// As `--format` calls it.
const char* name_of(graph_format format) noexcept;

/// Whether the first line of a list of edges names the columns. By itself: what nothing else can be meant by,
/// and a line that may be either is refused (docs/reference/graph.md).
enum class header_line : std::uint8_t { automatic, yes, no };

/// Which number a complex entry becomes as a weight.
enum class complex_part : std::uint8_t { modulus, real, imaginary };

struct graph_file_options {
  graph_format format = graph_format::automatic;
  header_line header = header_line::automatic;
  /// Columns of an edge list or a CSV file, by number from 1, or by the header's name. Empty: the first two;
  /// of a CSV file those that are called so (`source`, `from`, `target`, `to`, `weight`, `time`, …).
  std::string source_column = {};
  std::string target_column = {};
  /// Empty: of an edge list without a header the third column, where there is one and it has no times;
  /// `none`: no weights.
  std::string weight_column = {};
  std::string time_column = {};
  complex_part part = complex_part::modulus;
  /// Where vertices are called by names: what numbers them. Null: ids are numbers, and names malformed.
  vertex_namer* names = nullptr;
  /// So many vertices may be declared by a header (Matrix Market, DIMACS) that no edge need have. 0: a
  /// million, and 16 for each edge.
  std::uint64_t max_vertices = 0;
  bool keep_attributes =
      false;  ///< collects attributes of vertices, in memory; else they are named as left out
  bool skip_bad_lines = false;  ///< leave malformed lines out and count them, instead of throwing
  /// A pipe or a terminal counts as ended once this descriptor can be read from, so that a signal handler can
  /// wake a thread that waits for input.
  int end_descriptor = -1;
};

/// What a file says of its graph.
struct graph_file_info {
  graph_format format = graph_format::edge_list;
  std::optional<direction> kind;  ///< none: the format does not say
  bool has_weights = false;       ///< batches have `values`
  bool has_times = false;         ///< batches have `times`
  std::string description;        ///< for people: "Matrix Market, real, symmetric"
};

/// The edges of a file. Each edge is handed out once, also where the file has it at both its ends.
class graph_file : public edge_source {
 public:
  virtual const graph_file_info& info() const noexcept = 0;
  /// Makes this source hand out one of several parts of the edges, about as large as the others. Returns
  /// false, and changes nothing, unless the file is not compressed, its lines or records each stand for
  /// themselves, and vertices are called by numbers. To be called before an edge is drawn. All parts are read
  /// by each source, and parsed by one.
  virtual bool keep_share(const source_share&) { return false; }
};

/// Opens a graph. `-` is standard input; compression is recognised by content, and so is the format.
///
/// Ids are those of the file: Matrix Market, METIS and DIMACS count from 1, GAPBS from 0. What formats with a
/// header promise is held against what follows: the number of vertices and of edges, and that undirected
/// graphs have each edge at both its ends. Weights and times are finite numbers, times also dates, which
/// become seconds since 1970. Every line has the columns that are kept. Matrices must be square.
///
/// Throws `not_found`, `permission_denied` or `io`, and `workload::line_error` for a header that is
/// malformed. Drawing batches throws it too, in a binary file with the number of the edge as the line; when
/// several threads draw, the error with the smallest line is the first one of the file. `invalid_argument`
/// for a column that is not there, and where it cannot be told which format the file has.
std::unique_ptr<graph_file> open_graph_file(const std::filesystem::path& path,
                                            const graph_file_options& options = {});

/// Appends `edges` to the bytes of a file of `format`: `source TAB target NEWLINE` for each (`edge_list`), or
/// 16 bytes (`binary`). Throws `unsupported` for other formats.
void append_edges(std::string& out, std::span<const edge> edges, graph_format format);

}  // namespace perdure::graph
