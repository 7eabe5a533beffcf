// Writes arrays as text.
#include <perdure/formats/array_text.hpp>
#include <vector>

namespace perdure::formats {
namespace {

/// Gathers small pieces of text.
class text_buffer {
 public:
  explicit text_buffer(const byte_sink& to) : to_(to) {}
  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= (std::size_t{1} << 18)) flush();
  }
  void flush() {
    to_(buffer_);
    buffer_.clear();
  }

 private:
  const byte_sink& to_;
  std::string buffer_;
};

/// Takes elements in row-major order. As text: a row of the last dimension a line, an empty line behind each
/// plane. As JSON: nested lists.
class element_printer {
 public:
  element_printer(text_buffer& out, const extents& dims, bool as_json)
      : out_(out), dims_(dims), as_json_(as_json) {
    at_ = extents::all(dims.rank(), 0);
    if (!as_json) return;
    if (dims.elements() == 0)
      print_empty(0);
    else
      for (std::size_t i = 0; i < dims.rank(); ++i) out_.write("[");
  }

  void element(const std::string& text) {
    out_.write(text);
    std::size_t ended = 0;  // dimensions that end with this element
    for (std::size_t i = dims_.rank(); i-- > 0;) {
      if (++at_[i] < dims_[i]) break;
      at_[i] = 0;
      ++ended;
    }
    const bool is_last = ended == dims_.rank();
    if (as_json_) {
      for (std::size_t i = 0; i < ended; ++i) out_.write("]");
      if (is_last) return;
      out_.write(ended == 0 ? ", " : ",\n");
      for (std::size_t i = 0; i < ended; ++i) out_.write("[");
      return;
    }
    out_.write(ended == 0 && !is_last ? " " : "\n");
    if (ended > 1 && !is_last) out_.write("\n");
  }

 private:
  /// Prints an empty array: [[],[]] for the shape (2, 0).
  void print_empty(std::size_t dimension) {
    if (dimension == dims_.rank()) return;
    out_.write("[");
    for (std::uint64_t i = 0; i < dims_[dimension]; ++i) {
      if (i != 0) out_.write(",");
      print_empty(dimension + 1);
    }
    out_.write("]");
  }

  text_buffer& out_;
  extents dims_;
  extents at_;
  bool as_json_;
};

void print_fixed(array_source& array, element_printer& printer, bool as_json) {
  const array_description& what = array.what();
  const std::size_t size = what.type.size();
  std::vector<std::byte> bytes;
  std::string text;
  for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    const std::uint64_t count = part.count.elements();
    bytes.resize(count * size);
    array.read(part, bytes.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      text.clear();
      if (as_json)
        append_json(text, what.type, bytes.data() + i * size);
      else
        append_element(text, what.type, bytes.data() + i * size);
      printer.element(text);
    }
  }
}

void print_variable(array_source& array, element_printer& printer) {
  const variable_elements all = array.read_variable();
  const data_type& type = array.what().type;
  std::uint64_t begin = 0;
  std::string text;
  for (const std::uint64_t end : all.ends) {
    const std::string_view one = std::string_view(all.bytes).substr(begin, end - begin);
    begin = end;
    text.clear();
    if (type.kind() == element_kind::text) {
      append_json(text, one);
    } else {
      const data_type& element = type.element();
      text += '[';
      for (std::size_t at = 0; at + element.size() <= one.size(); at += element.size()) {
        if (at != 0) text += ", ";
        append_json(text, element, reinterpret_cast<const std::byte*>(one.data()) + at);
      }
      text += ']';
    }
    printer.element(text);
  }
}

}  // namespace

void write_text(array_source& from, text_style style, const byte_sink& to) {
  const bool as_json = style == text_style::json;
  text_buffer out(to);
  element_printer printer(out, from.what().dims, as_json);
  if (from.what().type.is_variable())
    print_variable(from, printer);
  else
    print_fixed(from, printer, as_json);
  out.flush();
}

}  // namespace perdure::formats
