// NumPy's names of element types.
#include "numpy_type.hpp"

#include <charconv>
#include <perdure/error.hpp>
#include <string_view>
#include <utility>

#include "unicode.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t largest_element = std::size_t{1} << 40;

struct number_name {
  element_kind kind;
  char letter;
  std::size_t size;
};
constexpr number_name number_names[] = {
    {element_kind::boolean, 'b', 1},   {element_kind::int8, 'i', 1},       {element_kind::int16, 'i', 2},
    {element_kind::int32, 'i', 4},     {element_kind::int64, 'i', 8},      {element_kind::uint8, 'u', 1},
    {element_kind::uint16, 'u', 2},    {element_kind::uint32, 'u', 4},     {element_kind::uint64, 'u', 8},
    {element_kind::float16, 'f', 2},   {element_kind::float32, 'f', 4},    {element_kind::float64, 'f', 8},
    {element_kind::complex64, 'c', 8}, {element_kind::complex128, 'c', 16}};

[[noreturn]] void refuse(const std::string& what) {
  throw error(errc::bad_input, "its header says that elements " + what);
}

numpy_type simple_type(std::string_view name) {
  const std::string shown = "are of type '" + std::string(name.substr(0, 40)) + "'";
  char order = '=';
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    order = name[0];
    name.remove_prefix(1);
  }
  if (name.empty()) refuse(shown + ", which is none");
  const char letter = name[0];
  name.remove_prefix(1);
  if (letter == 'M' || letter == 'm' || letter == 'O')
    throw error(errc::unsupported, "its elements are " +
                                       std::string(letter == 'O' ? "Python objects" : "dates or times") +
                                       " (" + shown.substr(4) + "): convert them to numbers in NumPy first");
  if (letter == '?' && name.empty()) name = "1";
  std::size_t size = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), size);
  if (problem != std::errc{} || stop != name.data() + name.size() || size > largest_element)
    refuse(shown + ", which is none");
  numpy_type found;
  found.size = size;
  switch (letter) {
    case 'S':
    case 'a':
      found.type = element_kind::character;
      found.dims.push_back(size);
      return found;
    case 'U':
      found.type = element_kind::text;
      found.is_utf32 = true;
      if (size > largest_element / 4) refuse(shown + ", which is none");
      found.size = size * 4;
      if (order == '>') found.swaps.push_back({0, 4, size});
      return found;
    case 'V':
      if (size == 0) refuse(shown + ": of no bytes");
      found.type = data_type::opaque("void", size, 1);
      return found;
    default:
      break;
  }
  for (const number_name& one : number_names) {
    const bool is_it = one.size == size && (one.letter == letter || (letter == '?' && one.letter == 'b'));
    if (!is_it) continue;
    found.type = one.kind;
    if (order == '>') found.swaps = swaps_of(found.type);
    return found;
  }
  throw error(errc::unsupported,
              "its elements " + shown + ", which is no type of ours: convert them in NumPy first");
}

std::vector<std::uint64_t> shape_from(const python_literal& literal) {
  std::vector<std::uint64_t> shape;
  const auto add = [&](const python_literal& one) {
    if (one.what != python_literal::kind::number || one.number <= 0)
      refuse("have a field of a shape that is none");
    shape.push_back(static_cast<std::uint64_t>(one.number));
  };
  if (literal.what == python_literal::kind::sequence) {
    for (const python_literal& one : literal.items) add(one);
  } else {
    add(literal);
  }
  return shape;
}

numpy_type structure(const python_literal& fields) {
  numpy_type whole;
  std::vector<data_field> parts;
  for (const python_literal& given : fields.items) {
    using kind = python_literal::kind;
    if (given.what != kind::sequence || given.items.size() < 2 || given.items.size() > 3)
      refuse("have a field that is no pair of name and type");
    // A title may stand before the name.
    const python_literal& named = given.items[0];
    const python_literal& name =
        named.what == kind::sequence && named.items.size() == 2 ? named.items[1] : named;
    if (name.what != kind::text) refuse("have a field whose name is no text");
    if (&name != &named) whole.losses.push_back("loses the title of the field \"" + name.text + '"');
    numpy_type part = parse_numpy_type(given.items[1]);
    whole.losses.insert(whole.losses.end(), part.losses.begin(), part.losses.end());
    if (part.is_utf32)
      throw error(errc::unsupported,
                  "its elements are structs with texts, which structs here do not have: store them apart");
    if (part.type.kind() == element_kind::character && part.size == 0)
      refuse("have a field with texts of no characters");
    std::size_t count = 1;
    std::vector<std::uint64_t> dims;
    if (given.items.size() == 3) dims = shape_from(given.items[2]);
    for (const std::uint64_t n : dims)
      if (__builtin_mul_overflow(count, n, &count) || count > largest_element) refuse("are too large");
    // A field of one character is that character; several of them are texts of one.
    const bool is_character = part.size == 1 && dims.empty();
    if (!is_character) dims.insert(dims.end(), part.dims.begin(), part.dims.end());
    if (!dims.empty()) part.type = part.type.array(dims);
    if (part.size > (largest_element - whole.size) / count) refuse("are too large");
    // What has no name is there to fill.
    if (!name.text.empty()) {
      if (part.swaps.size() * count > (std::size_t{1} << 20)) refuse("are too large");
      for (std::size_t i = 0; i < count; ++i)
        for (byte_swap one : part.swaps) {
          one.offset += whole.size + i * part.size;
          whole.swaps.push_back(one);
        }
      parts.push_back({name.text, whole.size, std::move(part.type)});
    }
    whole.size += part.size * count;
  }
  if (parts.empty()) refuse("are structs without fields");
  try {
    whole.type = naturally_aligned(std::move(parts), whole.size);
  } catch (const error& failure) {
    refuse(std::string("cannot be (") + failure.what() + ")");
  }
  return whole;
}

std::string python_text(std::string_view text) {
  if (!is_utf8(text))
    throw error(errc::unsupported, "the name of the field \"" + sound_utf8(text).substr(0, 60) +
                                       "\" is not UTF-8, as NumPy's are");
  std::string out = "'";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\x";
      out += digits[c >> 4];
      out += digits[c & 15];
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

std::string field_of(const data_field& field) {
  const data_type base = field.type.base();
  std::string out = '(' + python_text(field.name) + ", ";
  std::vector<std::uint64_t> dims = field.type.dims();
  if (base.kind() == element_kind::character && !dims.empty()) {
    out += "'|S" + std::to_string(dims.back()) + '\'';
    dims.pop_back();
  } else {
    out += numpy_type_name(base);
  }
  if (!dims.empty()) {
    out += ", (";
    for (const std::uint64_t n : dims) out += std::to_string(n) + ',';
    out += ')';
  }
  return out + ')';
}

}  // namespace

numpy_type parse_numpy_type(const python_literal& descr) {
  if (descr.what == python_literal::kind::text) return simple_type(descr.text);
  if (descr.what == python_literal::kind::sequence) return structure(descr);
  refuse("are of a type that is neither a name nor a list of fields");
}

std::string numpy_type_name(const data_type& type) {
  switch (type.kind()) {
    case element_kind::character:
      return "'|S1'";
    case element_kind::opaque:
      return "'|V" + std::to_string(type.size()) + '\'';
    case element_kind::structure: {
      std::string out = "[";
      std::size_t at = 0;
      const auto fill_to = [&](std::size_t end) {
        if (at < end) out += "('', '|V" + std::to_string(end - at) + "'), ";
      };
      for (const data_field& field : type.fields()) {
        fill_to(field.offset);
        out += field_of(field) + ", ";
        at = field.offset + field.type.size();
      }
      fill_to(type.size());
      return out + ']';
    }
    default:
      break;
  }
  for (const number_name& one : number_names)
    if (one.kind == type.kind())
      return std::string("'") + (one.size == 1 ? '|' : '<') + one.letter + std::to_string(one.size) + '\'';
  throw error(errc::unsupported,
              "NumPy has no elements of type " + type.text() +
                  (type.kind() == element_kind::bfloat16 ? ": store them as float32" : ""));
}

}  // namespace perdure::formats
