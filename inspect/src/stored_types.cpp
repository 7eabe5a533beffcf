#include "stored_types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <type_traits>

#include "known_containers.hpp"
#include "stored_graph.hpp"

namespace perdure::cli {
namespace {

constexpr std::size_t most_types = 4096;
constexpr unsigned deepest = 64;

struct layout_line {
  std::uint64_t depth = 0;
  stored_type type;
  std::string label;
};

std::optional<layout_line> next_layout_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, end);
  text.remove_prefix(end + 1);
  std::array<std::string_view, 7> words;
  for (std::string_view& word : words) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    word = rest.substr(0, space);
    rest.remove_prefix(space + 1);
  }
  layout_line line;
  std::uint64_t trivially_copyable = 0;
  for (const auto& [word, number] :
       {std::pair(words[0], &line.depth), std::pair(words[1], &line.type.size),
        std::pair(words[2], &line.type.alignment), std::pair(words[4], &trivially_copyable)}) {
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), *number);
    if (problem != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
  }
  if (line.type.size == 0 || line.type.alignment == 0) return std::nullopt;
  line.type.trivially_copyable = trivially_copyable != 0;
  line.type.name = words[6];
  line.label = rest;
  return line;
}

struct builtin {
  std::string_view name;
  type_form form;
  std::uint64_t size;
};

/// As the Itanium C++ ABI names them.
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

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/// The lines of a type inside another: one deeper, the first with a label.
std::string inner(const std::string& layout, std::string_view label) {
  std::string lines;
  for (std::string_view rest = layout; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::size_t depth_end = line.find(' ');
    std::uint64_t depth = 0;
    std::from_chars(line.data(), line.data() + depth_end, depth);
    lines += std::to_string(depth + 1) + std::string(line.substr(depth_end));
    if (depth == 0) lines += label;
    lines += '\n';
  }
  return lines;
}

/// The first line of a type whose members are private, so that the store does not tell of them; but they are
/// this program's own.
template <class T>
std::string own_line() {
  return "0 " + std::to_string(sizeof(T)) + ' ' + std::to_string(alignof(T)) + " 0 0 a " + typeid(T).name() +
         " \n";
}

constexpr std::string_view number_line = "1 8 8 0 1 o m ";

std::string layout_of_adjacency_list() {
  std::string layout = own_line<stored_graph>();
  layout += inner(detail::layout_of<perdure::vector<stored_graph::bank_type>>(), ".banks");
  layout.append(number_line).append(".edges\n").append(number_line).append(".self_loops\n");
  return layout + "1 1 1 0 1 o h .direction\n";
}

std::string layout_of_csr() {
  using arrays = graph::stored_csr::arrays;
  std::string layout = own_line<graph::stored_csr>();
  const auto add = [&layout]<class Array>(std::type_identity<Array>, std::string_view label) {
    layout += inner(detail::layout_of<Array>(), label);
  };
  add(std::type_identity<decltype(arrays::offsets)>(), ".offsets");
  add(std::type_identity<decltype(arrays::targets)>(), ".targets");
  add(std::type_identity<decltype(arrays::in_offsets)>(), ".in_offsets");
  add(std::type_identity<decltype(arrays::in_targets)>(), ".in_targets");
  add(std::type_identity<decltype(arrays::ids)>(), ".ids");
  add(std::type_identity<decltype(arrays::by_id)>(), ".by_id");
  add(std::type_identity<decltype(arrays::weights)>(), ".weights");
  layout.append(number_line).append(".self_loops\n");
  return layout + "1 1 1 0 1 o h .direction\n";
}

std::string layout_of_column() {
  std::string layout = own_line<stored_column>();
  layout += inner(detail::layout_of<perdure::vector<stored_column::bank_type>>(), ".banks");
  return layout + "1 8 8 0 1 o d .missing\n";
}

std::string layout_of_names() {
  std::string layout = own_line<stored_names>();
  layout += inner(detail::layout_of<perdure::vector<char>>(), ".text");
  layout += inner(detail::layout_of<perdure::vector<std::uint64_t>>(), ".ends");
  return layout + inner(detail::layout_of<perdure::vector<std::uint64_t>>(), ".slots");
}

std::string layout_of_delta() {
  std::string layout = own_line<stored_delta>();
  layout.append(number_line).append(".of_edges\n");
  layout.append(number_line).append(".of_self_loops\n");
  layout.append(number_line).append(".of_vertices\n");
  layout += inner(detail::layout_of<perdure::vector<graph::edge>>(), ".edges");
  layout += inner(detail::layout_of<perdure::vector<double>>(), ".weights");
  return layout + inner(detail::layout_of<perdure::vector<graph::id_range>>(), ".declared");
}

std::string layout_of_patch() {
  std::string layout = own_line<stored_patch>();
  layout.append(number_line).append(".of_vertices\n");
  layout.append(number_line).append(".of_arcs\n");
  layout.append(number_line).append(".arcs\n");
  layout += inner(detail::layout_of<stored_patch::id_array>(), ".added");
  layout += inner(detail::layout_of<stored_patch::id_table>(), ".handles");
  layout += inner(detail::layout_of<stored_patch::target_rows>(), ".rows");
  layout += inner(detail::layout_of<stored_patch::weight_rows>(), ".weights");
  return layout + inner(detail::layout_of<stored_patch::target_rows>(), ".incoming");
}

}  // namespace

stored_types::stored_types(const object_info& object) {
  stored_type own;
  own.name = object.mangled_type_name();
  own.size = object.element_size();
  own.alignment = object.alignment();
  types_.push_back(own);
  if (own.name == typeid(stored_graph).name()) {
    read(layout_of_adjacency_list());
  } else if (own.name == typeid(graph::stored_csr).name()) {
    read(layout_of_csr());
  } else if (own.name == typeid(stored_column).name()) {
    read(layout_of_column());
  } else if (own.name == typeid(stored_names).name()) {
    read(layout_of_names());
  } else if (own.name == typeid(stored_delta).name()) {
    read(layout_of_delta());
  } else if (own.name == typeid(stored_patch).name()) {
    read(layout_of_patch());
  } else {
    read(object.layout());
  }
  for (stored_type& one : types_) recognise(one);
  for (stored_type& one : types_) one.points_elsewhere = may_point_elsewhere(one, 0);
}

std::size_t stored_types::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [&](const stored_type& one) { return one.name == name; });
  return static_cast<std::size_t>(found - types_.begin());
}

void stored_types::read(std::string_view layout) {
  const std::optional<layout_line> own = next_layout_line(layout);
  if (!own || own->depth != 0 || own->type.name != types_[0].name || own->type.size != types_[0].size) return;
  types_[0].trivially_copyable = own->type.trivially_copyable;
  struct open_type {
    std::size_t type;
    bool is_first;  // what is inside a type is told again of arrays and enumerations
  };
  std::vector<open_type> open{{0, true}};
  while (const std::optional<layout_line> line = next_layout_line(layout)) {
    if (line->depth == 0 || line->depth > open.size() || types_.size() == most_types) return;
    open.resize(line->depth);
    std::size_t type = find(line->type.name);
    const bool is_first = type == types_.size();
    if (is_first) types_.push_back(line->type);
    if (open.back().is_first) types_[open.back().type].parts.push_back({line->label, type, 0});
    open.push_back({type, is_first});
  }
}

void stored_types::recognise(stored_type& type) const {
  const std::string_view name = type.name;
  if (const builtin* const one = builtin_type(type)) {
    type.form = one->form;
    return;
  }
  const bool has_elements = type.parts.size() == 1 && type.parts[0].label == "[i]";
  const bool holds_one = type.parts.size() == 1 && type.parts[0].label == ".<0>";
  constexpr std::uint64_t words = 3 * sizeof(std::uint64_t);
  if (name.starts_with("N7perdure12basic_stringIc") && type.size >= words) {
    type.form = type_form::string;
  } else if (has_elements && name.starts_with("N7perdure6vectorI") && type.size >= words) {
    type.form = type_form::vector;
  } else if (has_elements && name.starts_with("N7perdure5graph12padded_arrayI") &&
             type.size == words + sizeof(std::uint64_t)) {
    type.form = type_form::boost_vector;
  } else if (has_elements &&
             (name.starts_with("N7perdure8flat_mapI") || name.starts_with("N7perdure8flat_setI")) &&
             type.size > words) {
    type.form = type_form::table;
  } else if (const auto known = has_elements ? container_named(name, type.size) : std::nullopt) {
    type.form = known->form;
    type.holds_addresses = known->holds_addresses;
    type.number_at = known->number_at;
  } else if (((has_elements && name.starts_with("A")) ||
              (type.parts.size() == 1 && name.starts_with("St5arrayI"))) &&
             type.size % types_[type.parts[0].type].size == 0) {
    type.form = type_form::array;
  } else if (type.parts.size() == 1 &&
             (type.parts[0].label.empty() || (holds_one && name.starts_with("St6atomicI"))) &&
             type.size == types_[type.parts[0].type].size) {
    type.form = type_form::enumeration;
  } else if (holds_one && name.starts_with("St8optionalI")) {
    const stored_type& inside = types_[type.parts[0].type];
    if (inside.size < type.size && type.size - inside.size == inside.alignment)
      type.form = type_form::optional;
  } else if (name.starts_with("St5tupleI") && place_tuple(type)) {
    type.form = type_form::tuple;
  } else if (place_parts(type)) {
    type.form = type_form::aggregate;
  }
}

/// Behind what ends at `end`; whether it is within `size`.
bool stored_types::place(stored_type::part& one, std::uint64_t& end, std::uint64_t size) const {
  const stored_type& inside = types_[one.type];
  one.offset = rounded_up(end, inside.alignment);
  if (one.offset > size || inside.size > size - one.offset) return false;
  end = one.offset + inside.size;
  return true;
}

/// As the compiler places members, unless bit-fields or attributes had a say: then the size shows it, mostly.
bool stored_types::place_parts(stored_type& type) const {
  std::uint64_t end = 0;
  for (stored_type::part& one : type.parts)
    if (!one.label.starts_with(".") || one.label.starts_with(".<") || !place(one, end, type.size))
      return false;
  return !type.parts.empty() && rounded_up(end, type.alignment) == type.size;
}

/// libstdc++ has the last element first. An empty one has no place of its own, and not all that are can be
/// told.
bool stored_types::place_tuple(stored_type& type) const {
  std::uint64_t end = 0;
  for (auto one = type.parts.rbegin(); one != type.parts.rend(); ++one) {
    const stored_type& inside = types_[one->type];
    const bool may_be_empty = inside.size == 1 && inside.parts.empty() && builtin_type(inside) == nullptr;
    if (may_be_empty || !place(*one, end, type.size)) return false;
  }
  return !type.parts.empty() && rounded_up(end, type.alignment) == type.size;
}

bool stored_types::may_point_elsewhere(const stored_type& type, unsigned depth) const {
  switch (type.form) {
    case type_form::unknown:
      return !type.trivially_copyable;
    case type_form::vector:
    case type_form::boost_vector:
    case type_form::std_vector:
    case type_form::string:
    case type_form::boost_string:
    case type_form::std_string:
    case type_form::table:
    case type_form::deque:
    case type_form::counted:
      return true;
    case type_form::array:
    case type_form::aggregate:
    case type_form::tuple:
    case type_form::optional:
      return depth == deepest || std::any_of(type.parts.begin(), type.parts.end(), [&](const auto& one) {
               return may_point_elsewhere(types_[one.type], depth + 1);
             });
    default:
      return false;
  }
}

}  // namespace perdure::cli
