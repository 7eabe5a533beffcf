// Columns are made when the first input has them: edges that were there before get what stands for none.
#include "growing_graph.hpp"

#include <perdure/error.hpp>
#include <string>

namespace perdure::cli {
namespace {

stored_graph* find_or_make(manager& store, const std::filesystem::path& path, const growth_wanted& wanted) {
  if (stored_graph* g = store.find<stored_graph>(graph_name).first) {
    if (wanted.asked && *wanted.asked != g->kind())
      throw error(errc::invalid_argument,
                  path.string() + ": the graph in the store is " + kind_of(*g) +
                      "; --directed and --undirected are decided when the graph is made");
    return g;
  }
  const graph::direction kind = wanted.asked.value_or(wanted.files_say.value_or(graph::direction::directed));
  return store.construct<stored_graph>(graph_name)(kind, store.get_allocator<std::byte>());
}

stored_column* find_or_make_column(manager& store, const stored_graph& g, const char* suffix, bool is_wanted,
                                   double missing, unsigned threads) {
  const std::string name = std::string(graph_name) + suffix;
  if (stored_column* column = store.find<stored_column>(name).first) return column;
  if (!is_wanted) return nullptr;
  stored_column* made = store.construct<stored_column>(name)(missing, store.get_allocator<std::byte>());
  made->fill(g, threads);
  return made;
}

}  // namespace

growing_graph::growing_graph(manager& store, const std::filesystem::path& path, const growth_wanted& wanted)
    : list(find_or_make(store, path, wanted)) {
  const std::string names_name = std::string(graph_name) + names_suffix;
  names = store.find<stored_names>(names_name).first;
  if (names != nullptr && !wanted.has_names)
    throw error(errc::invalid_argument,
                path.string() + ": the vertices of the graph in the store have names; give --names");
  if (names == nullptr && wanted.has_names) {
    if (list->vertices() != 0)
      throw error(
          errc::invalid_argument,
          path.string() + ": the vertices of the graph in the store are numbers, which --names would mix up");
    names = store.construct<stored_names>(names_name)(store.get_allocator<std::byte>());
  }
  columns.weights = find_or_make_column(store, *list, weights_suffix, wanted.has_weights,
                                        graph::weight_of_edges_without, wanted.threads);
  columns.times = find_or_make_column(store, *list, times_suffix, wanted.has_times, 0, wanted.threads);
  frozen = frozen_graph::find(store, graph_name);
  if (frozen && !frozen->is_fresh(*list, columns.weights)) frozen.reset();
}

graph::ingest_result growing_graph::add(graph::edge_source& source,
                                        const graph::ingest_options& options) const {
  if (!frozen) return graph::ingest(*list, source, options, columns);
  const double missing =
      columns.weights != nullptr ? columns.weights->missing() : graph::weight_of_edges_without;
  graph::recording_source recorded(source, frozen->delta(), missing);
  return graph::ingest(*list, recorded, options, columns);
}

void growing_graph::merge_duplicates(graph::duplicate_edges how, unsigned threads) {
  if (how == graph::duplicate_edges::keep) return;
  graph::merge_duplicates(*list, columns, how, threads);
  if (how == graph::duplicate_edges::error || !frozen) return;
  // The CSR has them as they were: it is of no state of the list any more.
  frozen->forget();
  frozen.reset();
}

void growing_graph::settle(unsigned threads) {
  if (!frozen) return;
  if (frozen->has_much()) frozen->merge(threads);
  frozen->set_state(*list);
}

}  // namespace perdure::cli
