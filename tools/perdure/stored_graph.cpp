// Finds a graph in a store, of whichever kind it is.
#include "stored_graph.hpp"

#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
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

/// Of STORE@LABEL the kept copy.
std::filesystem::path store_at(const std::filesystem::path& path) {
  const std::string text = path.string();
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || manager::exists(path)) return path;
  const std::filesystem::path store = text.substr(0, at);
  const std::string label = text.substr(at + 1);
  if (!manager::exists(store)) return path;
  bool is_known = false;
  std::optional<std::uint64_t> epoch;
  for (const checkpoint_record& one : store_maintenance::log(store)) {
    if (one.label != label) continue;
    is_known = true;
    if (one.kept) epoch = one.epoch;
  }
  if (!epoch)
    throw error(errc::not_found,
                store.string() + (is_known ? ": the checkpoint \"" + printable_name(label) +
                                                 "\" was not kept, which takes a file system that shares "
                                                 "blocks (XFS, btrfs)"
                                           : ": no checkpoint has the label \"" + printable_name(label) +
                                                 "\" ('perdure log' shows them)"));
  return store / "epochs" / std::to_string(*epoch);
}

}  // namespace

bool frozen_parts::are_fresh(const stored_graph& list, const stored_column* weights) const {
  if (!are_there() || patch == nullptr || !patch->fits(csr->view())) return false;
  if (delta->state() != graph::list_state::of(list)) return false;
  // Of a CSR without arcs nobody knows whether they would have weights.
  if (csr->arcs() == 0 && patch->empty() && delta->empty()) return true;
  return csr->has_weights() == (weights != nullptr);
}

std::optional<row_view> attached_graph::rows() {
  if (const auto* const stored = std::get_if<const graph::stored_csr*>(&graph)) return (*stored)->view();
  if (!frozen.are_fresh(*std::get<const stored_graph*>(graph), weights)) return std::nullopt;
  const graph::csr_view base = frozen.csr->view();
  if (frozen.patch->empty() && frozen.delta->empty()) return base;
  return patched_.emplace(base, *frozen.patch, *frozen.delta).view();
}

const char* attached_graph::frozen_state() const {
  if (!frozen.are_there()) return nullptr;
  return frozen.are_fresh(*std::get<const stored_graph*>(graph), weights) ? "fresh" : "stale";
}

std::string attached_graph::name_of(graph::vertex_id id) const {
  if (names == nullptr || id >= names->size()) return std::to_string(id);
  return std::string(names->name(id));
}

attached_graph::attached_graph(const std::filesystem::path& path, const std::string& wanted,
                               const store_options& settings)
    : store(open_read_only, store_at(path), settings) {
  found_graph found = find_graph(store, path, wanted);
  name = std::move(found.name);
  graph = found.graph;
  if (std::holds_alternative<const stored_graph*>(graph)) {
    weights = store.find<stored_column>(name + weights_suffix).first;
    frozen = {store.find<graph::stored_csr>(name + frozen_suffix).first,
              store.find<stored_patch>(name + patch_suffix).first,
              store.find<stored_delta>(name + delta_suffix).first};
  }
  names = store.find<stored_names>(name + names_suffix).first;
  seconds = watch.seconds();
}

}  // namespace perdure::cli
