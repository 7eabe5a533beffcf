// Values that a command writes to a file, in lines of columns: as text, CSV or an array of NumPy.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"

namespace perdure::cli {

/// A column: whole numbers of 64 bits, or real ones.
struct result_column {
  std::string name;
  bool is_real = false;
  bool is_vertex = false;  ///< its values are `vertex_value`
};

/// A vertex in a line, by its id.
struct vertex_value {
  std::uint64_t id;
};

/// What vertices are called, by their ids. Empty where they have no names.
using vertex_caller = std::function<std::string(std::uint64_t)>;

/// A name in `.csv` gives lines with commas, below a line with the names of the columns; one in `.npy` a
/// structured array of NumPy, whose fields are the columns; any other, and `-` for standard output, lines of
/// values with a separator between them.
class result_file {
 public:
  /// Lines with commas have the vertices' names too, where they have some: in a column `name` behind `id`,
  /// and `X_name` behind another column X of vertices.
  result_file(const std::filesystem::path& path, std::vector<result_column> columns, char separator = '\t',
              vertex_caller names = {});

  /// One value for each column.
  template <class... Values>
  void line(const Values&... values) {
    (put(values), ...);
    end_line();
  }
  /// Gives the file its name. What was not finished leaves no file.
  void finish();

 private:
  enum class form : std::uint8_t { text, comma_separated, numpy };

  template <std::unsigned_integral Number>
  void put(Number value) {
    put_whole(value);
  }
  void put(double value);
  void put(vertex_value vertex);
  void put_whole(std::uint64_t value);
  void put_bytes(const void* value);
  void separate();
  void end_line();
  std::string numpy_header() const;

  output out_;
  std::vector<result_column> columns_;
  form form_;
  char separator_;
  vertex_caller names_;
  bool at_beginning_ = true;
  std::uint64_t lines_ = 0;
  std::string array_;  // of NumPy, whose header tells the number of lines before them
};

}  // namespace perdure::cli
