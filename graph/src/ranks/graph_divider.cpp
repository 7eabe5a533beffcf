#include <algorithm>
#include <cstddef>
#include <optional>
#include <perdure/array/attribute_value.hpp>
#include <perdure/graph/ranks/graph_divider.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <span>
#include <utility>

namespace perdure::graph {
namespace {

using namespace detail;

/// Returns the graph that an array names, if it is one of these; else null.
const set_graph* graph_of(const untyped_arrays& arrays, const std::string& id,
                          const std::vector<set_graph>& graphs) {
  const auto name = arrays.attribute(id, graph_of_array);
  if (!name || name->type.kind() != element_kind::text) return nullptr;
  const auto found = std::find_if(graphs.begin(), graphs.end(),
                                  [&](const set_graph& one) { return one.name() == name->bytes; });
  return found == graphs.end() ? nullptr : &*found;
}

/// Returns the first dimension with an element for each vertex; nothing where there is none, or elements are
/// not stored one by one.
std::optional<std::size_t> dimension_of_vertices(const array_info& info, std::uint64_t vertices) {
  if (info.layout != array_layout::blocks || info.type.is_variable()) return std::nullopt;
  for (std::size_t d = 0; d < info.dims.rank(); ++d)
    if (info.dims[d] == vertices) return d;
  return std::nullopt;
}

/// Sets the attributes that an array had.
void take_attributes(const untyped_arrays& before, untyped_arrays& made, const std::string& id) {
  for (const std::string& key : before.attributes(id)) {
    const auto value = before.attribute(id, key);
    made.set_attribute(id, key, value->type, value->dims, std::as_bytes(std::span(value->bytes)));
  }
}

}  // namespace

graph_divider::graph_divider() : ranks_(alone_) {}

graph_divider::graph_divider(rank_exchange& ranks) : ranks_(ranks) {}

set_division graph_divider::plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) {
  graphs_.clear();
  const std::vector<set_graph> graphs = joint_call(ranks_, [&] {
    std::vector<set_graph> found;
    for (const std::string& name : graphs_of_ranks_in(*before)) found.emplace_back(before, name);
    return found;
  });
  set_division division;
  for (const set_graph& graph : graphs) {
    const std::vector<std::string> arrays = graph.arrays();
    division.replaced.insert(division.replaced.end(), arrays.begin(), arrays.end());
    graphs_.push_back(plan_graph(graph, static_cast<int>(parts)));
  }
  joint_call(ranks_, [&] {
    for (const std::string& id : before->list({})) {
      const set_graph* const graph = graph_of(*before, id, graphs);
      const bool is_of_graph =
          std::find(division.replaced.begin(), division.replaced.end(), id) != division.replaced.end();
      if (graph == nullptr || is_of_graph) continue;
      if (const auto dimension = dimension_of_vertices(before->info(id), graph->vertices()))
        division.divided[id] = {graph->bounds_for(static_cast<int>(parts)), *dimension};
    }
  });
  return division;
}

graph_divider::planned_graph graph_divider::plan_graph(const set_graph& graph, int parts) {
  planned_graph planned{graph.name(), {}, {}, {}};
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(parts) * part_bounds::columns_stored);
  joint_call(ranks_, [&] {
    planned.bounds = graph.bounds_for(parts);
    for (int part = ranks_.rank(); part < parts; part += ranks_.size()) {
      rank_graph made = graph.part(part, planned.bounds);
      const auto own = lengths_of(made);
      std::copy(own.begin(), own.end(), &lengths[static_cast<std::size_t>(part) * own.size()]);
      if (parts == ranks_.size()) planned.made = std::move(made);
    }
  });
  ranks_.add_up(lengths);
  planned.shape = {part_bounds::of(lengths), graph.has_weights(), graph.has_ids(), graph.order()};
  return planned;
}

void graph_divider::store_part(const std::shared_ptr<const untyped_arrays>& before, untyped_arrays& made,
                               std::uint32_t part) {
  for (planned_graph& one : graphs_) {
    const set_graph graph(before, one.name);
    if (!one.made) one.made = graph.part(static_cast<int>(part), one.bounds);
    store_graph_part(made, one.name, *one.made, one.shape);
    one.made.reset();
    if (part != 0) continue;
    for (const std::string& id : graph.arrays()) take_attributes(*before, made, id);
  }
}

}  // namespace perdure::graph
