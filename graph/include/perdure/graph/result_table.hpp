// Tables of values of vertices: text, CSV, a structured array of NumPy, or the elements of an array in a
// store.
//
//     std::ofstream file("levels.csv");
//     graph::result_table table(graph::table_format::csv, {{.name = "id", .is_vertex = true}, {"level"}},
//                               [&](std::string_view bytes) { file << bytes; });
//     for (const graph::vertex_handle v : view.in_id_order())
//       table.line(graph::vertex_value{view.id(v)}, found.levels[v]);
//     table.finish();
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <perdure/data_type.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::graph {

/// A column of 64-bit unsigned numbers, or of `double`.
struct result_column {
  std::string name;        ///< name of the column
  bool is_real = false;    ///< the values are `double`
  bool is_vertex = false;  ///< the values are `vertex_value`
};

/// A vertex as a value of a column.
struct vertex_value {
  std::uint64_t id;  ///< id of the vertex
};

/// Format of a table.
enum class table_format : std::uint8_t {
  text,  ///< values with a separator between them, without a header
  csv,   ///< RFC 4180, with a header line of the column names
  /// `.npy`: a structured array, whose fields are the columns. It is in memory until it is finished.
  numpy,
  records,  ///< the elements of that array alone, of the type `record_type`
};
/// Returns the format that a file name asks for: by `.csv` and `.npy`, otherwise text.
table_format table_format_of(const std::filesystem::path& path);

/// Returns the type of a line: a struct with a field of 64 bits for each column.
data_type record_type(const std::vector<result_column>& columns);

/// Writes a table line by line.
///
/// Thread safety: like a standard container.
class result_table {
 public:
  /// Function that returns the name of the vertex with an id.
  using name_lookup = std::function<std::string(std::uint64_t)>;

  /// Passes the bytes of the table to `write`, piece by piece. With `names` a CSV table has the names of
  /// vertices too: in a column `name` behind `id`, and in a column `X_name` behind another column X of
  /// vertices. `separator` stands between the values of text.
  result_table(table_format format, std::vector<result_column> columns,
               std::function<void(std::string_view)> write, char separator = '\t', name_lookup names = {});

  /// Writes a line. There must be one value for each column.
  template <class... Values>
  void line(const Values&... values) {
    (put(values), ...);
    end_line();
  }
  /// Writes a line whose first column is the vertex `id`. `values` has the other columns, 64 bits each; a
  /// column of reals has the bits of its `double`.
  void line_of(std::uint64_t id, std::span<const std::uint64_t> values);
  /// Writes what is still in memory. Without this call the table is incomplete.
  void finish();

 private:
  template <std::unsigned_integral Number>
  void put(Number value) {
    put_whole(value);
  }
  void put(double value);
  void put(vertex_value vertex);
  void put_whole(std::uint64_t value);
  bool is_binary() const noexcept {
    return format_ == table_format::numpy || format_ == table_format::records;
  }
  void put_bytes(const void* value);
  void separate();
  void end_line();
  std::string numpy_header() const;

  std::function<void(std::string_view)> write_;
  std::vector<result_column> columns_;
  table_format format_;
  char separator_;
  name_lookup names_;
  bool at_beginning_ = true;
  std::uint64_t lines_ = 0;
  std::string pending_;  // lines that were not written yet; of NumPy all, as the header has their number
};

}  // namespace perdure::graph
