// perdure array dump STORE:ID[PART]: an array's elements as text.
#include <memory>
#include <perdure/array/array_pieces.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "formats/element_bytes.hpp"
#include "stored_arrays.hpp"

namespace perdure::cli {
namespace {

/// Takes elements in row-major order. As text: a row of the last dimension a line, an empty line behind each
/// plane. As JSON: nested lists.
class element_printer {
 public:
  element_printer(output& out, const extents& dims, bool as_json)
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
  /// Of an array of shape (2, 0): [[],[]].
  void print_empty(std::size_t dimension) {
    if (dimension == dims_.rank()) return;
    out_.write("[");
    for (std::uint64_t i = 0; i < dims_[dimension]; ++i) {
      if (i != 0) out_.write(",");
      print_empty(dimension + 1);
    }
    out_.write("]");
  }

  output& out_;
  extents dims_;
  extents at_;
  bool as_json_;
};

void print_fixed(formats::array_input& array, element_printer& printer, bool as_json) {
  const formats::array_description& what = array.what();
  const std::size_t size = what.type.size();
  std::vector<std::byte> bytes;
  std::string text;
  array_pieces pieces(what.dims, formats::elements_in_piece(size), what.chunk.empty() ? 1 : what.chunk[0]);
  while (pieces.next_elements() != 0) {
    const slab part = pieces.next();
    const std::uint64_t count = part.count.elements();
    bytes.resize(count * size);
    array.read(part, bytes.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      text.clear();
      if (as_json)
        formats::append_json(text, what.type, bytes.data() + i * size);
      else
        formats::append_element(text, what.type, bytes.data() + i * size);
      printer.element(text);
    }
  }
}

void print_variable(formats::array_input& array, element_printer& printer) {
  const variable_elements all = array.read_variable();
  const data_type& type = array.what().type;
  std::uint64_t begin = 0;
  std::string text;
  for (const std::uint64_t end : all.ends) {
    const std::string_view one = std::string_view(all.bytes).substr(begin, end - begin);
    begin = end;
    text.clear();
    if (type.kind() == element_kind::text) {
      formats::append_json(text, one);
    } else {
      const data_type& element = type.element();
      text += '[';
      for (std::size_t at = 0; at + element.size() <= one.size(); at += element.size()) {
        if (at != 0) text += ", ";
        formats::append_json(text, element, reinterpret_cast<const std::byte*>(one.data()) + at);
      }
      text += ']';
    }
    printer.element(text);
  }
}

void dump(const std::string& named, bool as_json) {
  array_place place = parse_array_place_with_id(named);
  const arrays_to_read store(place.store);
  const array_part part =
      take_part(place.id, [&](const std::string& id) { return store.core().find(id).has_value(); });
  const auto array = open_stored_array(store, place.id, part, place.id);
  const formats::array_description& what = array->what();
  output out = output::standard();
  if (as_json) {
    std::string head = "{\n \"id\": ";
    formats::append_json(head, place.id);
    head += ",\n \"dtype\": ";
    formats::append_json(head, dtype_of(what.type));
    out.write(head + ",\n \"shape\": " + shape_of_dims(what.dims).dump() + ",\n \"data\": ");
  }
  element_printer printer(out, what.dims, as_json);
  if (what.type.is_variable())
    print_variable(*array, printer);
  else
    print_fixed(*array, printer, as_json);
  if (as_json) out.write("\n}\n");
  out.finish();
}

}  // namespace

void add_array_dump_command(command array) {
  struct options {
    std::string place;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command dump_command = array.add_command("dump", "Print an array's elements, or those of a part of it");
  dump_command.add_text("STORE:ID[PART]", given->place, "The array; a part as in STORE:T[0:10,:,3]")
      .required();
  add_json_option(dump_command, given->as_json);
  dump_command.footer(
      "A part has numbers, FROM:TO, FROM:TO:STEP and \"...\", as in NumPy. Elements of the last dimension\n"
      "stand on one line, with spaces between them.");
  dump_command.callback([given] { dump(given->place, given->as_json); });
}

}  // namespace perdure::cli
