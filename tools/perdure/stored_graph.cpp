// Finds a graph in a store, of whichever kind it is.
#include "stored_graph.hpp"

#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <utility>
#include <vector>

#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct found_graph {
  std::string name;
  any_graph graph;
};

std::optional<any_graph> graph_at(const object_info& object) {
  if (object.length() != 1) return std::nullopt;
  if (object.is_type<stored_graph>()) return static_cast<const stored_graph*>(object.value());
  if (object.is_type<graph::stored_csr>()) return static_cast<const graph::stored_csr*>(object.value());
  return std::nullopt;
}

std::vector<found_graph> graphs_in(const manager& store) {
  std::vector<found_graph> found;
  for (const object_info& object : store.named_objects())
    if (const std::optional<any_graph> graph = graph_at(object))
      found.push_back({std::string(object.name()), *graph});
  std::sort(found.begin(), found.end(),
            [](const found_graph& a, const found_graph& b) { return a.name < b.name; });
  return found;
}

/// Throws `wrong_type` where something else has the name.
std::optional<found_graph> graph_named(const manager& store, const std::string& name) {
  try {
    if (const auto* const list = store.find<stored_graph>(name).first) return found_graph{name, list};
    return std::nullopt;
  } catch (const error& failure) {
    if (failure.code() != errc::wrong_type) throw;
    for (const object_info& object : store.named_objects())
      if (object.name() == name && object.is_type<graph::stored_csr>())
        return found_graph{name, static_cast<const graph::stored_csr*>(object.value())};
    throw;
  }
}

found_graph only_graph(const manager& store, const std::filesystem::path& path) {
  std::vector<found_graph> all = graphs_in(store);
  if (all.empty())
    throw error(errc::not_found,
                path.string() + ": the store holds no graph; make one with 'perdure graph ingest'");
  if (all.size() > 1) {
    std::string names;
    for (const found_graph& one : all) names += (names.empty() ? "" : ", ") + printable_name(one.name);
    throw error(errc::invalid_argument,
                path.string() + ": the store holds several graphs (" + names + "); say which with --graph");
  }
  return all.front();
}

found_graph find_graph(const manager& store, const std::filesystem::path& path, const std::string& wanted) {
  const bool is_named = !wanted.empty();
  if (std::optional<found_graph> found = graph_named(store, is_named ? wanted : graph_name)) return *found;
  if (is_named)
    throw error(errc::not_found, path.string() + ": the store holds no graph named \"" +
                                     printable_name(wanted) + "\" ('perdure ls' shows what it holds)");
  return only_graph(store, path);
}

}  // namespace

attached_graph::attached_graph(const std::filesystem::path& path, const std::string& wanted,
                               const store_options& settings)
    : store(open_read_only, path, settings) {
  found_graph found = find_graph(store, path, wanted);
  name = std::move(found.name);
  graph = found.graph;
  seconds = watch.seconds();
}

}  // namespace perdure::cli
