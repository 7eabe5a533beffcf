#include "type_names.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <perdure/type_stamp.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::cli {
namespace {

using words = std::pair<std::string_view, std::string_view>;

/// Types without arguments, or whose arguments say nothing to users.
constexpr std::array plain_names{words{"int", "int32"},
                                 words{"unsigned int", "uint32"},
                                 words{"long", "int64"},
                                 words{"unsigned long", "uint64"},
                                 words{"long long", "int64"},
                                 words{"unsigned long long", "uint64"},
                                 words{"short", "int16"},
                                 words{"unsigned short", "uint16"},
                                 words{"signed char", "int8"},
                                 words{"unsigned char", "uint8"},
                                 words{"char", "char"},
                                 words{"float", "float32"},
                                 words{"double", "float64"},
                                 words{"bool", "bool"},
                                 words{"std::byte", "byte"},
                                 words{"perdure::string", "text"},
                                 words{"std::string", "text"},
                                 words{"boost::container::string", "text"},
                                 words{"perdure::graph::adjacency_list", "graph as adjacency list"},
                                 words{"perdure::graph::csr", "graph as CSR"},
                                 words{"perdure::graph::csr_patch", "patch of a CSR"},
                                 words{"perdure::graph::csr_delta", "edges beside a CSR"},
                                 words{"perdure::graph::csr_build", "unfinished CSR"},
                                 words{"perdure::graph::degree_ordering", "unfinished order of vertices"},
                                 words{"perdure::graph::edge_column", "column of edges"},
                                 words{"perdure::graph::vertex_names", "names of vertices"}};

/// Containers by the last part of their names: what stands before the first argument.
constexpr std::array containers{words{"vector", "vector of "},
                                words{"stable_vector", "vector of "},
                                words{"deque", "deque of "},
                                words{"queue", "queue of "},
                                words{"stack", "stack of "},
                                words{"list", "list of "},
                                words{"slist", "list of "},
                                words{"forward_list", "list of "},
                                words{"set", "set of "},
                                words{"flat_set", "set of "},
                                words{"unordered_set", "set of "},
                                words{"multiset", "multiset of "},
                                words{"flat_multiset", "multiset of "},
                                words{"unordered_multiset", "multiset of "},
                                words{"map", "map from "},
                                words{"flat_map", "map from "},
                                words{"unordered_map", "map from "},
                                words{"multimap", "multimap from "},
                                words{"flat_multimap", "multimap from "},
                                words{"unordered_multimap", "multimap from "},
                                words{"optional", "optional "},
                                words{"offset_ptr", "pointer to "},
                                words{"pair", "("},
                                words{"tuple", "("},
                                words{"array", "array of "}};

constexpr std::array libraries{
    "perdure::", "std::", "boost::container::", "boost::unordered::", "metall::container::"};

template <class Table>
std::string_view found_in(const Table& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const words& one) { return one.first == name; });
  return found == table.end() ? std::string_view() : found->second;
}

/// The arguments of a template: what is between its outermost brackets, apart at commas.
std::vector<std::string> arguments_of(std::string_view type, std::size_t bracket) {
  std::vector<std::string> all;
  std::size_t depth = 0;
  std::string one;
  for (const char c : type.substr(bracket + 1)) {
    if (depth == 0 && (c == ',' || c == '>')) {
      all.push_back(std::exchange(one, {}));
      if (c == '>') break;
      continue;
    }
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c != ' ' || !one.empty()) one += c;
  }
  return all;
}

std::string words_of_type(const std::string& type) {
  const std::size_t bracket = type.find('<');
  const std::string_view name = std::string_view(type).substr(0, bracket);
  if (const std::string_view plain = found_in(plain_names, name); !plain.empty()) return std::string(plain);
  std::string_view own = name;
  for (const std::string_view library : libraries)
    if (own.starts_with(library)) own.remove_prefix(library.size());
  const std::string_view before =
      bracket == std::string::npos || own == name ? std::string_view() : found_in(containers, own);
  if (before.empty() && name.starts_with("perdure::")) {
    // A type of a library that says by its name what it holds, as array_catalogue.
    std::string kept(name.substr(name.rfind(':') + 1));
    std::replace(kept.begin(), kept.end(), '_', ' ');
    return kept;
  }
  if (before.empty()) {
    std::string kept = type;
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at; (at = kept.find(unnamed)) != std::string::npos;) kept.erase(at, unnamed.size());
    return kept;
  }
  const std::vector<std::string> arguments = arguments_of(type, bracket);
  std::string text(before);
  if (before == "(") {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      text += (i == 0 ? "" : ", ") + words_of_type(arguments[i]);
    return text + ')';
  }
  if (own == "array" && arguments.size() > 1) text += arguments[1].substr(0, arguments[1].find('u')) + ' ';
  if (!arguments.empty()) text += words_of_type(arguments[0]);
  if (before.ends_with("from ") && arguments.size() > 1) text += " to " + words_of_type(arguments[1]);
  return text;
}

}  // namespace

std::string printable_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      text += c;
    } else {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += escape;
    }
  }
  return text;
}

std::string type_in_words(const std::string& type) {
  return words_of_type(short_type_name(type));
}

}  // namespace perdure::cli
