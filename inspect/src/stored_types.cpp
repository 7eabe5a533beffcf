// Reads what a store records of types.
#include "stored_types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "known_containers.hpp"

namespace perdure::inspect {
namespace {

constexpr std::size_t most_types = 4096;
constexpr unsigned deepest = 64;

struct type_line {
  std::uint64_t depth = 0;
  std::uint64_t offset = 0;
  stored_type type;
  std::string label;
};

template <std::size_t Count>
bool read_words(std::string_view& rest, std::array<std::string_view, Count>& words) {
  for (std::string_view& word : words) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return false;
    word = rest.substr(0, space);
    rest.remove_prefix(space + 1);
  }
  return true;
}

bool read_number(std::string_view word, std::uint64_t& number) {
  const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  return problem == std::errc{} && stop == word.data() + word.size();
}

/// Takes the first line off a layout, or off a form: these begin with "+" and have offsets and kinds.
std::optional<type_line> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, end);
  text.remove_prefix(end + 1);
  type_line line;
  std::uint64_t trivially_copyable = 0;
  if (rest.starts_with("+ ")) {
    std::array<std::string_view, 8> words;
    if (!read_words(rest, words) || !read_number(words[1], line.depth) ||
        !read_number(words[2], line.offset) || !read_number(words[3], line.type.size) ||
        !read_number(words[4], line.type.alignment) || !read_number(words[5], trivially_copyable))
      return std::nullopt;
    line.type.kind = words[6];
    line.type.name = words[7];
  } else {
    std::array<std::string_view, 7> words;
    if (!read_words(rest, words) || !read_number(words[0], line.depth) ||
        !read_number(words[1], line.type.size) || !read_number(words[2], line.type.alignment) ||
        !read_number(words[4], trivially_copyable))
      return std::nullopt;
    line.type.name = words[6];
  }
  if (line.type.size == 0 || line.type.alignment == 0) return std::nullopt;
  line.type.trivially_copyable = trivially_copyable != 0;
  line.label = rest;
  return line;
}

struct builtin {
  std::string_view name;
  type_form form;
  std::uint64_t size;
};

/// Names of built-in types in the Itanium C++ ABI.
constexpr std::array builtins{
    builtin{"b", type_form::boolean, 1},        builtin{"c", type_form::character, 1},
    builtin{"a", type_form::signed_integer, 1}, builtin{"h", type_form::unsigned_integer, 1},
    builtin{"s", type_form::signed_integer, 2}, builtin{"t", type_form::unsigned_integer, 2},
    builtin{"i", type_form::signed_integer, 4}, builtin{"j", type_form::unsigned_integer, 4},
    builtin{"l", type_form::signed_integer, 8}, builtin{"m", type_form::unsigned_integer, 8},
    builtin{"x", type_form::signed_integer, 8}, builtin{"y", type_form::unsigned_integer, 8},
    builtin{"f", type_form::floating, 4},       builtin{"d", type_form::floating, 8}};

const builtin* builtin_type(const stored_type& type) {
  const auto found = std::find_if(builtins.begin(), builtins.end(), [&](const builtin& one) {
    return type.name == one.name && type.size == one.size;
  });
  return found == builtins.end() ? nullptr : &*found;
}

/// A kind that a store records, and the bytes at each of its offsets.
struct recorded_kind {
  std::string_view word;
  type_form form;
  pointer_form pointers;
  std::size_t places;
  std::uint64_t bytes;
};

constexpr auto from_object = pointer_form::distance_from_object;
constexpr std::array recorded_kinds{
    recorded_kind{"members", type_form::members, from_object, 0, 0},
    recorded_kind{"elements", type_form::elements, from_object, 0, 0},
    recorded_kind{"same", type_form::same, from_object, 0, 0},
    recorded_kind{"array", type_form::array, from_object, 3, word_bytes},
    recorded_kind{"offset_array", type_form::array, pointer_form::distance_from_pointer, 3, word_bytes},
    recorded_kind{"address_array", type_form::array, pointer_form::address, 3, word_bytes},
    recorded_kind{"string", type_form::string, from_object, 1, 3 * word_bytes},
    recorded_kind{"flat_table", type_form::table, from_object, 3, word_bytes}};

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

stored_types::stored_types(const object_info& object) {
  stored_type own;
  own.name = object.mangled_type_name();
  own.size = object.element_size();
  own.alignment = object.alignment();
  types_.push_back(own);
  read(object.form().empty() ? object.layout() : object.form());
  for (stored_type& one : types_) recognise(one);
  if (const auto fields = object.data_type()) place_fields(0, *fields);
  // What is inside a type may stand behind it, and types may be inside each other.
  for (stored_type& one : types_) one.points_elsewhere = false;
  for (bool has_changed = true; std::exchange(has_changed, false);)
    for (stored_type& one : types_)
      if (!one.points_elsewhere && may_point_elsewhere(one)) has_changed = one.points_elsewhere = true;
}

std::size_t stored_types::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [&](const stored_type& one) { return one.name == name; });
  return static_cast<std::size_t>(found - types_.begin());
}

void stored_types::read(std::string_view text) {
  const std::optional<type_line> own = next_line(text);
  if (!own || own->depth != 0 || own->type.name != types_[0].name || own->type.size != types_[0].size) return;
  types_[0].trivially_copyable = own->type.trivially_copyable;
  types_[0].kind = own->type.kind;
  struct open_type {
    std::size_t type;
    bool is_first;  // what is inside arrays and enumerations is described each time
  };
  std::vector<open_type> open{{0, true}};
  while (const std::optional<type_line> line = next_line(text)) {
    if (line->depth == 0 || line->depth > open.size() || types_.size() == most_types) return;
    open.resize(line->depth);
    std::size_t type = find(line->type.name);
    const bool is_first = type == types_.size();
    if (is_first) types_.push_back(line->type);
    if (open.back().is_first) types_[open.back().type].parts.push_back({line->label, type, line->offset});
    open.push_back({type, is_first});
  }
}

void stored_types::recognise(stored_type& type) const {
  if (type.kind == "-") {
    recognise_by_name(type);
  } else if (!take_recorded_kind(type)) {
    type.form = type_form::unknown;
  }
}

/// Takes the form from the recorded kind, `WORD` or `WORD:OFFSET,OFFSET`. Returns whether it is known and
/// everything is inside the type.
bool stored_types::take_recorded_kind(stored_type& type) const {
  const std::string_view kind = type.kind;
  const std::size_t colon = std::min(kind.find(':'), kind.size());
  const auto known =
      std::find_if(recorded_kinds.begin(), recorded_kinds.end(),
                   [&](const recorded_kind& one) { return one.word == kind.substr(0, colon); });
  if (known == recorded_kinds.end()) return false;
  type.form = known->form;
  type.pointers = known->pointers;
  std::string_view rest = kind.substr(std::min(colon + 1, kind.size()));
  for (std::size_t i = 0; i < known->places; ++i) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!read_number(rest.substr(0, comma), type.places[i]) || known->bytes > type.size ||
        type.places[i] > type.size - known->bytes)
      return false;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  for (const stored_type::part& one : type.parts) {
    const std::uint64_t size = types_[one.type].size;
    const bool is_inside = known->form == type_form::members || known->form == type_form::same;
    if (is_inside && (size > type.size || one.offset > type.size - size)) return false;
  }
  if (known->form == type_form::members)
    return std::all_of(type.parts.begin(), type.parts.end(),
                       [](const stored_type::part& one) { return one.label.starts_with('.'); });
  return type.parts.size() == 1 &&
         (known->form != type_form::elements || type.size % types_[type.parts[0].type].size == 0);
}

/// For what stores from before forms were recorded have, and for types of Boost and of the standard library.
void stored_types::recognise_by_name(stored_type& type) const {
  const std::string_view name = type.name;
  if (const builtin* const one = builtin_type(type)) {
    type.form = one->form;
    return;
  }
  const bool has_elements = type.parts.size() == 1 && type.parts[0].label == "[i]";
  const bool holds_one = type.parts.size() == 1 && type.parts[0].label == ".<0>";
  if (const auto known = container_named(name, type.size);
      known && (has_elements || known->form == type_form::string)) {
    type.form = known->form;
    type.pointers = known->pointers;
    type.places = known->places;
  } else if (((has_elements && name.starts_with("A")) ||
              (type.parts.size() == 1 && name.starts_with("St5arrayI"))) &&
             type.size % types_[type.parts[0].type].size == 0) {
    type.form = type_form::elements;
  } else if (type.parts.size() == 1 &&
             (type.parts[0].label.empty() || (holds_one && name.starts_with("St6atomicI"))) &&
             type.size == types_[type.parts[0].type].size) {
    type.form = type_form::same;
  } else if (holds_one && name.starts_with("St8optionalI")) {
    const stored_type& inside = types_[type.parts[0].type];
    if (inside.size < type.size && type.size - inside.size == inside.alignment)
      type.form = type_form::optional;
  } else if (name.starts_with("St5tupleI") && place_tuple(type)) {
    type.form = type_form::tuple;
  } else if (place_parts(type)) {
    type.form = type_form::members;
  }
}

/// Places one part behind `end`. Returns whether it is within `size`.
bool stored_types::place(stored_type::part& one, std::uint64_t& end, std::uint64_t size) const {
  const stored_type& inside = types_[one.type];
  one.offset = rounded_up(end, inside.alignment);
  if (one.offset > size || inside.size > size - one.offset) return false;
  end = one.offset + inside.size;
  return true;
}

/// Places members as the compiler does, unless attributes had a say: then the size shows it, mostly. Members
/// without names may be bit-fields.
bool stored_types::place_parts(stored_type& type) const {
  std::uint64_t end = 0;
  for (stored_type::part& one : type.parts)
    if (!one.label.starts_with(".") || one.label.starts_with(".<") || one.label.starts_with(".(") ||
        !place(one, end, type.size))
      return false;
  return !type.parts.empty() && rounded_up(end, type.alignment) == type.size;
}

/// Places the parts of a tuple of libstdc++, the last one first. Empty parts have no place of their own, and
/// not all that are can be known.
bool stored_types::place_tuple(stored_type& type) const {
  std::uint64_t end = 0;
  for (auto one = type.parts.rbegin(); one != type.parts.rend(); ++one) {
    const stored_type& inside = types_[one->type];
    const bool may_be_empty = inside.size == 1 && inside.parts.empty() && builtin_type(inside) == nullptr;
    if (may_be_empty || !place(*one, end, type.size)) return false;
  }
  return !type.parts.empty() && rounded_up(end, type.alignment) == type.size;
}

/// Places the members of plain data, of which the store has the offsets in the words of `data_type`.
void stored_types::place_fields(std::size_t type, const data_type& fields) {
  for (unsigned depth = 0; types_[type].form == type_form::elements && depth < deepest; ++depth)
    type = types_[type].parts[0].type;
  stored_type& one = types_[type];
  const data_type base = fields.base();
  if (base.kind() != element_kind::structure || base.size() != one.size ||
      base.fields().size() != one.parts.size() || one.parts.empty())
    return;
  if (one.form != type_form::unknown && one.form != type_form::members) return;
  for (std::size_t i = 0; i < one.parts.size(); ++i)
    if (!one.parts[i].label.starts_with('.') ||
        base.fields()[i].type.size() != types_[one.parts[i].type].size)
      return;
  one.form = type_form::members;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    one.parts[i].offset = base.fields()[i].offset;
    place_fields(one.parts[i].type, base.fields()[i].type);
  }
}

bool stored_types::may_point_elsewhere(const stored_type& type) const {
  switch (type.form) {
    case type_form::unknown:
      return !type.trivially_copyable;
    case type_form::array:
    case type_form::std_vector:
    case type_form::string:
    case type_form::boost_string:
    case type_form::std_string:
    case type_form::table:
    case type_form::deque:
    case type_form::counted:
      return true;
    case type_form::same:
    case type_form::elements:
    case type_form::members:
    case type_form::tuple:
    case type_form::optional:
      return std::any_of(type.parts.begin(), type.parts.end(),
                         [&](const auto& one) { return types_[one.type].points_elsewhere; });
    default:
      return false;
  }
}

}  // namespace perdure::inspect
