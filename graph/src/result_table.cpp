// Writes columns of values as text, CSV or an array of NumPy.
#include "result_table.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <utility>

namespace perdure::cli {

namespace {

/// A field of RFC 4180, between quotes where it needs them.
std::string comma_separated_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

result_file::result_file(const std::filesystem::path& path, std::vector<result_column> columns,
                         char separator, vertex_caller names)
    : out_(output::to(path)),
      columns_(std::move(columns)),
      form_(path.extension() == ".npy"   ? form::numpy
            : path.extension() == ".csv" ? form::comma_separated
                                         : form::text),
      separator_(form_ == form::comma_separated ? ',' : separator),
      names_(form_ == form::comma_separated ? std::move(names) : nullptr) {
  if (form_ != form::comma_separated) return;
  std::string header;
  for (const result_column& one : columns_) {
    header += (header.empty() ? "" : ",") + one.name;
    if (one.is_vertex && names_) header += one.name == "id" ? ",name" : "," + one.name + "_name";
  }
  out_.write(header + "\n");
}

void result_file::finish() {
  if (form_ == form::numpy) {
    out_.write(numpy_header());
    out_.write(array_);
  }
  out_.finish();
}

void result_file::put(double value) {
  if (form_ == form::numpy) return put_bytes(&value);
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  separate();
  out_.write(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

void result_file::put(vertex_value vertex) {
  put_whole(vertex.id);
  if (!names_) return;
  separate();
  out_.write(comma_separated_field(names_(vertex.id)));
}

void result_file::put_whole(std::uint64_t value) {
  if (form_ == form::numpy) return put_bytes(&value);
  separate();
  out_.write(value);
}

void result_file::put_bytes(const void* value) {
  array_.append(static_cast<const char*>(value), sizeof(std::uint64_t));
}

void result_file::separate() {
  if (!std::exchange(at_beginning_, false)) out_.write(std::string_view(&separator_, 1));
}

void result_file::end_line() {
  ++lines_;
  at_beginning_ = true;
  if (form_ != form::numpy) out_.write("\n");
}

// Version 1.0 of the format: a magic number, the length of what follows, and that in Python's words, filled
// up with blanks so that the array begins at a multiple of 64.
std::string result_file::numpy_header() const {
  std::string fields;
  for (const result_column& one : columns_)
    fields += "('" + one.name + "', '" + (one.is_real ? "<f8" : "<u8") + "'), ";
  std::string words =
      "{'descr': [" + fields + "], 'fortran_order': False, 'shape': (" + std::to_string(lines_) + ",), }";
  constexpr std::size_t before = 10;
  while ((before + words.size() + 1) % 64 != 0) words += ' ';
  words += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(words.size() % 256);
  header += static_cast<char>(words.size() / 256);
  return header + words;
}

}  // namespace perdure::cli
