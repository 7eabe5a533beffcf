// The table of names.
#include "known_containers.hpp"

#include <array>
#include <cstddef>
#include <perdure/type_stamp.hpp>
#include <string>
#include <vector>

namespace perdure::inspect {
namespace {

/// Sizes in words, of containers with an allocator of one word, and with nothing in comparisons and hashes.
struct row {
  std::string_view name;  // as the Itanium C++ ABI mangles it, up to its arguments
  type_form form;
  std::uint64_t with_distances;  // 0: not known
  std::uint64_t with_addresses;
  std::uint64_t number_at = 0;
};

constexpr type_form only_counted = type_form::counted;
constexpr type_form deque = type_form::deque;

constexpr std::array rows{
    // Boost.Container, 1.81 and later.
    row{"N7perdure3mapI", only_counted, 6, 5, 1},
    row{"N7perdure8multimapI", only_counted, 6, 5, 1},
    row{"N7perdure3setI", only_counted, 6, 5, 1},
    row{"N7perdure8multisetI", only_counted, 6, 5, 1},
    row{"N7perdure4listI", only_counted, 4, 4, 1},
    row{"N7perdure12forward_listI", only_counted, 3, 3, 1},
    row{"N7perdure5dequeI", deque, 12, 12, 4},
    row{"N5boost9container3mapI", only_counted, 6, 5, 1},
    row{"N5boost9container8multimapI", only_counted, 6, 5, 1},
    row{"N5boost9container3setI", only_counted, 6, 5, 1},
    row{"N5boost9container8multisetI", only_counted, 6, 5, 1},
    row{"N5boost9container4listI", only_counted, 4, 4, 1},
    row{"N5boost9container5slistI", only_counted, 3, 3, 1},
    row{"N5boost9container5dequeI", deque, 12, 12, 4},
    row{"N5boost9container6vectorI", type_form::array, 4, 4},
    row{"N5boost9container8flat_mapI", type_form::array, 4, 4},
    row{"N5boost9container13flat_multimapI", type_form::array, 4, 4},
    row{"N5boost9container8flat_setI", type_form::array, 4, 4},
    row{"N5boost9container13flat_multisetI", type_form::array, 4, 4},
    row{"N5boost9container12basic_stringIcSt11char_traitsIcE", type_form::boost_string, 4, 4},
    // Boost.Unordered, 1.81 and later.
    row{"N7perdure13unordered_mapI", only_counted, 9, 9, 1},
    row{"N7perdure18unordered_multimapI", only_counted, 9, 9, 1},
    row{"N7perdure13unordered_setI", only_counted, 9, 9, 1},
    row{"N7perdure18unordered_multisetI", only_counted, 9, 9, 1},
    row{"N5boost9unordered13unordered_mapI", only_counted, 9, 9, 1},
    row{"N5boost9unordered18unordered_multimapI", only_counted, 9, 9, 1},
    row{"N5boost9unordered13unordered_setI", only_counted, 9, 9, 1},
    row{"N5boost9unordered18unordered_multisetI", only_counted, 9, 9, 1},
    // libstdc++.
    row{"St6vectorI", type_form::std_vector, 4, 4},
    row{"NSt7__cxx1112basic_stringIcSt11char_traitsIcE", type_form::std_string, 5, 5},
    row{"St5dequeI", deque, 11, 11, 3},
    row{"St3mapI", only_counted, 0, 7, 6},
    row{"St8multimapI", only_counted, 0, 7, 6},
    row{"St3setI", only_counted, 0, 7, 6},
    row{"St8multisetI", only_counted, 0, 7, 6},
    row{"NSt7__cxx114listI", only_counted, 0, 4, 3},
    row{"St13unordered_mapI", only_counted, 0, 8, 4},
    row{"St18unordered_multimapI", only_counted, 0, 8, 4},
    row{"St13unordered_setI", only_counted, 0, 8, 4},
    row{"St18unordered_multisetI", only_counted, 0, 8, 4},
};

/// The last argument of a template that is an allocator; nothing where none is.
std::string_view allocator_among_arguments(std::string_view demangled) {
  std::string_view found;
  std::size_t depth = 0;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    std::string_view argument = demangled.substr(begin, end - begin);
    while (argument.starts_with(' ')) argument.remove_prefix(1);
    if (argument.substr(0, argument.find('<')).find("allocator") != std::string_view::npos) found = argument;
    begin = end + 1;
  };
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<' || c == '(') {
      if (depth++ == 0) begin = i + 1;
    } else if (c == '>' || c == ')') {
      if (depth == 1) take(i);
      if (depth != 0) --depth;
    } else if (c == ',' && depth == 1) {
      take(i);
    }
  }
  return found;
}

/// Perdure's own, as they have been since before forms were recorded: an allocator, if it has any bytes, then
/// words.
std::optional<known_container> container_of_perdure(std::string_view mangled, std::uint64_t size) {
  constexpr std::uint64_t words = 3 * word_bytes;
  if (size < words) return std::nullopt;
  const std::uint64_t begin = size - words;
  const std::array<std::uint64_t, 3> places{begin, begin + word_bytes, begin + 2 * word_bytes};
  constexpr auto from_object = pointer_form::distance_from_object;
  if (mangled.starts_with("N7perdure12basic_stringIc"))
    return known_container{type_form::string, from_object, {begin}};
  if (mangled.starts_with("N7perdure6vectorI")) return known_container{type_form::array, from_object, places};
  if (size > words &&
      (mangled.starts_with("N7perdure8flat_mapI") || mangled.starts_with("N7perdure8flat_setI")))
    return known_container{type_form::table, from_object, {0, 2 * word_bytes, 3 * word_bytes}};
  return std::nullopt;
}

enum class allocator_kind { unknown, distances, addresses };

/// Returns what an allocator's pointers hold. It is one word long, Boost's pool allocators included.
allocator_kind kind_of(std::string_view allocator) {
  const auto is = [&](std::string_view name) { return allocator.starts_with(std::string(name) + '<'); };
  if (is("perdure::pinned_allocator")) return allocator_kind::addresses;
  if (is("perdure::allocator") || is("perdure::fallback_allocator") || is("metall::stl_allocator"))
    return allocator_kind::distances;
  if (is("perdure_interprocess::allocator") || is("perdure_interprocess::detail::pool_allocator"))
    return allocator.find("mutex_family, void*") != std::string_view::npos ? allocator_kind::addresses
                                                                           : allocator_kind::distances;
  if (is("metall::container::fallback_allocator_adaptor") ||
      is("boost::container::scoped_allocator_adaptor") || is("std::scoped_allocator_adaptor"))
    return kind_of(allocator_among_arguments(allocator));
  return allocator_kind::unknown;
}

}  // namespace

std::optional<known_container> container_named(std::string_view mangled, std::uint64_t size) {
  if (const auto own = container_of_perdure(mangled, size)) return own;
  for (const row& one : rows) {
    if (!mangled.starts_with(one.name)) continue;
    const allocator_kind kind = kind_of(allocator_among_arguments(demangle(mangled)));
    const std::uint64_t words = kind == allocator_kind::distances   ? one.with_distances
                                : kind == allocator_kind::addresses ? one.with_addresses
                                                                    : 0;
    if (words == 0 || size != words * word_bytes) return std::nullopt;
    known_container known;
    known.form = one.form;
    known.pointers =
        kind == allocator_kind::addresses ? pointer_form::address : pointer_form::distance_from_pointer;
    known.places = one.form == type_form::array
                       ? std::array{word_bytes, 2 * word_bytes, 3 * word_bytes}
                       : std::array{one.number_at * word_bytes, std::uint64_t{0}, std::uint64_t{0}};
    return known;
  }
  return std::nullopt;
}

}  // namespace perdure::inspect
