#include "attached_graph.hpp"

#include <optional>
#include <perdure/error.hpp>

#include "type_names.hpp"

namespace perdure::cli {
namespace {

/// Returns the path of the kept copy for STORE@LABEL.
std::filesystem::path store_at(const std::filesystem::path& path) {
  const std::string text = path.string();
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || manager::exists(path)) return path;
  const std::filesystem::path store = text.substr(0, at);
  const std::string label = text.substr(at + 1);
  if (!manager::exists(store)) return path;
  bool is_known = false;
  std::optional<std::uint64_t> epoch;
  for (const checkpoint_record& one : datastore::log(store)) {
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

graph::stored_graph graph_in(const manager& store, const std::string& wanted) {
  try {
    return graph::stored_graph(store, wanted);
  } catch (const error& failure) {
    if (!wanted.empty() || failure.code() != errc::invalid_argument) throw;
    throw error(failure.code(), std::string(failure.what()) + " with --graph");
  }
}

}  // namespace

attached_graph::attached_graph(const std::filesystem::path& path, const std::string& wanted,
                               const store_options& settings)
    : store(open_read_only, store_at(path), settings),
      graph(graph_in(store, wanted)),
      seconds(watch.seconds()) {}

std::string summary_of(std::uint64_t vertices, std::uint64_t edges, bool undirected) {
  return counted(vertices, "vertex", "vertices") + ", " + counted(edges, "edge", "edges") + ", " +
         (undirected ? "undirected" : "directed");
}

}  // namespace perdure::cli
