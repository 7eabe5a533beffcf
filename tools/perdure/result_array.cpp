#include "result_array.hpp"

#include <perdure/error.hpp>
#include <perdure/graph/ranks/graph_divider.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <span>
#include <string_view>

#include "type_names.hpp"

namespace perdure::cli {
namespace {

constexpr const char* made_by = "made by";

}  // namespace

std::string levels_of(const std::string& name) {
  return name + ".levels";
}

void require_result_name(const untyped_arrays& arrays, const std::string& name) {
  for (const std::string& one : graph::graphs_of_ranks_in(arrays))
    if (name == one || name.starts_with(one + "/"))
      throw error(errc::invalid_argument, printable_name(name) + " is among the arrays of the graph " +
                                              printable_name(one) + ": give another name");
  for (const std::string& one : {name, levels_of(name)}) {
    if (!arrays.find(one)) continue;
    if (!arrays.attribute(one, made_by))
      throw error(errc::already_exists, arrays.path().string() + " has an array " + printable_name(one) +
                                            " that --store-as has not made: give another name");
    if (one != name && !arrays.attribute(one, graph::modularity_of_levels))
      throw error(errc::already_exists, arrays.path().string() + " has a result " + printable_name(one) +
                                            ", which the levels of " + printable_name(name) +
                                            " would replace: give another name");
  }
}

void erase_levels(untyped_arrays& arrays, const std::string& name) {
  arrays.erase(levels_of(name));
}

void mark_result(untyped_arrays& arrays, const std::string& name, const std::string& command,
                 const std::string& of) {
  const auto set = [&](std::string_view key, const std::string& text) {
    arrays.set_attribute(name, key, element_kind::text, {}, std::as_bytes(std::span(text)));
  };
  set(made_by, command);
  set(graph::graph_of_array, of);
}

}  // namespace perdure::cli
