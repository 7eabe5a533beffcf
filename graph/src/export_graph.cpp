// Writes graphs with what belongs to them.
#include <perdure/graph/export_graph.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/merge_duplicates.hpp>
#include <utility>

#include "property_columns.hpp"

namespace perdure::graph {
namespace {

template <class T>
using ordinary_allocator = std::allocator<T>;
using memory_containers = flat_containers<ordinary_allocator>;

template <class Graph>
exported_graph write_all(const Graph& graph, written_parts parts, const export_options& options,
                         const std::function<void(std::string_view)>& write) {
  parts.format = options.format;
  parts.with_weights = options.with_weights;
  write_graph(graph, parts, write);
  if (options.write_id)
    for (const vertex_handle v : graph.in_id_order()) {
      options.write_id(parts.name ? std::string(parts.name(graph.id(v))) : std::to_string(graph.id(v)));
      options.write_id("\n");
    }
  return {graph.size(), graph.arcs(), graph.symmetric()};
}

/// Adds the properties to what is written. Returns the names of those that have no room there.
std::vector<std::string> take_properties(const stored_graph& graph, const export_options& options,
                                         written_parts& parts) {
  detail::property_columns all = detail::property_columns_of(graph, *options.arrays);
  if (options.format != written_format::graphml) {
    for (const written_column& one : all.vertices) all.left_out.push_back(one.name + " of vertices");
    for (const written_column& one : all.edges) all.left_out.push_back(one.name + " of edges");
    return std::move(all.left_out);
  }
  if (graph.has_weights() && options.with_weights)
    std::erase_if(all.edges, [&all](const written_column& one) {
      if (one.name != "weight") return false;
      all.left_out.push_back(one.name + " of edges");
      return true;
    });
  parts.vertex_columns = std::move(all.vertices);
  parts.edge_columns = std::move(all.edges);
  return std::move(all.left_out);
}

}  // namespace

written_format written_format_of(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  if (ending == ".mtx") return written_format::matrix_market;
  if (ending == ".sg" || ending == ".wsg") return written_format::gapbs;
  if (ending == ".graphml" || ending == ".xml") return written_format::graphml;
  return written_format::edge_list;
}

const char* name_of(written_format format) noexcept {
  switch (format) {
    case written_format::matrix_market:
      return "mtx";
    case written_format::gapbs:
      return "gapbs";
    case written_format::graphml:
      return "graphml";
    case written_format::edge_list:
      break;
  }
  return "text";
}

exported_graph export_graph(const stored_graph& graph, const export_options& options,
                            const std::function<void(std::string_view)>& write) {
  written_parts parts;
  if (graph.names() != nullptr) parts.name = [&](vertex_id id) { return graph.names()->name(id); };
  std::vector<std::string> left_out;
  if (options.arrays != nullptr) left_out = take_properties(graph, options, parts);
  if (const auto rows = graph.rows()) {
    exported_graph written = write_all(*rows, parts, options, write);
    written.left_out = std::move(left_out);
    return written;
  }
  const vertex_index index(*graph.list(), options.threads, graph.weights());
  if (graph.times() != nullptr)
    parts.times = [&](vertex_handle v) { return graph.times()->find(index.id(v)); };
  exported_graph written = write_all(index, parts, options, write);
  written.left_out = std::move(left_out);
  return written;
}

exported_graph convert_graph(std::vector<graph_input>& inputs, const convert_options& how,
                             const export_options& options,
                             const std::function<void(std::string_view)>& write) {
  const growth_options growth = growth_for(inputs);
  const direction kind = how.kind.value_or(growth.kind_if_new);
  give_directions(inputs, kind);
  adjacency_list<memory_containers> list(kind);
  edge_column<memory_containers> weights(weight_of_edges_without);
  edge_column<memory_containers> times(0);
  edge_columns<memory_containers> columns;
  if (growth.with_weights || how.duplicates == duplicate_edges::sum) columns.weights = &weights;
  if (growth.with_times) columns.times = &times;
  for (const graph_input& one : inputs) {
    std::shared_ptr<void> watched;
    if (how.watch) watched = how.watch(one.name, [&one] { return one.edges->progress(); });
    // One thread reads, so that edges keep their order.
    ingest(list, *one.edges, {}, columns);
  }
  merge_duplicates(list, columns, how.duplicates, options.threads);
  const vertex_index index(list, options.threads, columns.weights);
  written_parts parts;
  if (how.names != nullptr) parts.name = [&](vertex_id id) { return how.names->name(id); };
  if (columns.times != nullptr) parts.times = [&](vertex_handle v) { return times.find(index.id(v)); };
  return write_all(index, parts, options, write);
}

}  // namespace perdure::graph
