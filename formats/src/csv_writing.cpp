// Writes tables as text.
#include <cstdint>
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/formats/array_text.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "csv.hpp"
#include "csv_columns.hpp"
#include "csv_leaves.hpp"

namespace perdure::formats {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// Returns whether a name is told from a value, and from several, without quotation marks.
bool is_plain_name(const std::string& name) {
  const csv_field field{name, false};
  return name.find_first_of(",;\t|\"\r\n#") == std::string::npos && kind_of(field) == column_kind::text &&
         !may_be_value(field);
}

void append_leaf(std::string& out, const leaf& one, const std::byte* element) {
  if (one.type.kind() == element_kind::character) {
    const auto* const text = reinterpret_cast<const char*>(element + one.offset);
    return append_quoted(out, {text, ::strnlen(text, one.type.size())});
  }
  append_element(out, one.type, element + one.offset);
}

void write_texts(array_source& from, char separator, const byte_sink& to) {
  const variable_elements texts = from.read_variable();
  const extents& dims = from.what().dims;
  const std::uint64_t columns = dims.rank() < 2 ? 1 : dims[1];
  std::string out;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < texts.ends.size(); ++i) {
    append_quoted(out, std::string_view(texts.bytes).substr(begin, texts.ends[i] - begin));
    begin = texts.ends[i];
    out += (i + 1) % columns == 0 ? '\n' : separator;
    if (out.size() < csv_buffer_bytes) continue;
    to(out);
    out.clear();
  }
  to(out);
}

}  // namespace

std::uint64_t least_csv_bytes(const array_description& what) {
  if (what.type.is_variable() || what.dims.elements() == 0) return 0;
  const bool is_text = what.type.kind() == element_kind::character && !what.dims.empty();
  const std::size_t rank = what.dims.rank() - (is_text ? 1 : 0);
  const std::uint64_t rows = extents(what.dims.span().first(rank)).elements();
  std::uint64_t bytes = 0;
  return __builtin_mul_overflow(rows, 2 * leaves_of(what.type).size(), &bytes) ? UINT64_MAX : bytes;
}

void write_csv(array_source& from, char separator, const byte_sink& to) {
  const array_description& what = from.what();
  data_type element = what.type;
  extents dims = what.dims;
  if (element.kind() == element_kind::sequence)
    throw error(errc::unsupported, "tables of text have no elements of type " + element.text());
  // The last dimension of characters is a text.
  if (element.kind() == element_kind::character && !dims.empty()) {
    const std::uint64_t length = dims[dims.rank() - 1];
    if (length != 0) element = element.array({length});
    dims = extents(dims.span().first(dims.rank() - 1));
  }
  const bool are_structs = element.kind() == element_kind::structure;
  if (dims.rank() > (are_structs ? 1U : 2U))
    throw error(errc::unsupported, "a table of text has " +
                                       std::string(are_structs ? "one dimension" : "two dimensions") +
                                       (are_structs ? " of structs" : "") + ", and the array has the shape " +
                                       what.dims.text() + ": choose a part, as in STORE:ID[0]");
  if (element.kind() == element_kind::text) return write_texts(from, separator, to);
  const std::vector<leaf> leaves = leaves_of(element);
  std::string out;
  if (are_structs) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i != 0) out += separator;
      if (is_plain_name(leaves[i].name)) {
        out += leaves[i].name;
      } else {
        append_quoted(out, leaves[i].name);
      }
    }
    out += '\n';
  }
  const std::uint64_t columns = dims.rank() < 2 ? 1 : dims[1];
  std::uint64_t done = 0;
  std::vector<std::byte> bytes;
  for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    bytes.resize(part.count.elements() * what.type.size());
    from.read(part, bytes.data());
    for (std::size_t at = 0; at + element.size() <= bytes.size(); at += element.size()) {
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (i != 0) out += separator;
        append_leaf(out, leaves[i], bytes.data() + at);
      }
      out += ++done % columns == 0 ? '\n' : separator;
      if (out.size() < csv_buffer_bytes) continue;
      to(out);
      out.clear();
    }
  }
  to(out);
}

}  // namespace perdure::formats
