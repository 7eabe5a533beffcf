#include "report_rows.hpp"

#include <chrono>
#include <map>
#include <perdure/graph/degrees.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <utility>

#include "degree_report.hpp"
#include "store_json.hpp"
#include "stored_arrays.hpp"

namespace perdure::cli {
namespace {

constexpr unsigned degree_bins_per_doubling = 8;

json array_row(const inspect::array_overview& array) {
  json row = facts_of(array.info);
  row["attributes"] = json::object();
  for (const auto& [key, value] : array.attributes) row["attributes"][key] = value_of(value);
  if (const auto& numbers = array.summary)
    row["numbers"] = {
        {"elements", numbers->elements}, {"sampled", numbers->sampled}, {"not_finite", numbers->not_finite},
        {"smallest", numbers->smallest}, {"largest", numbers->largest}, {"mean", numbers->mean},
        {"bins", numbers->bins}};
  if (!array.problem.empty()) row["problem"] = array.problem;
  return row;
}

}  // namespace

void begin_facts(json& facts, const std::vector<checkpoint_record>& log) {
  facts["time"] = in_utc(static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()));
  facts["problems"] = json::array();
  json checkpoints = json::array();
  for (const checkpoint_record& one : log) checkpoints.push_back(as_json(one));
  facts["checkpoints"] = std::move(checkpoints);
}

json heap_facts(const heap_stats& heap, const heap_occupancy& occupancy) {
  json value = as_json(heap);
  json classes = json::array();
  for (const heap_occupancy::size_class& one : occupancy.classes)
    classes.push_back({{"block_bytes", one.block_bytes},
                       {"slabs", one.slabs},
                       {"slab_bytes", one.slab_bytes},
                       {"used_blocks", one.used_blocks},
                       {"free_blocks", one.free_blocks}});
  value["size_classes"] = std::move(classes);
  value["large_blocks"] = occupancy.large_blocks;
  value["large_bytes"] = occupancy.large_bytes;
  value["free_runs"] = occupancy.free_runs;
  value["free_run_bytes"] = occupancy.free_run_bytes;
  value["longest_free_run"] = occupancy.longest_free_run;
  json map = json::array();
  for (const heap_occupancy::stretch& one : occupancy.map)
    map.push_back({one.slab_bytes, one.used_bytes, one.large_bytes, one.free_bytes});
  value["map"] = {{"stretch_bytes", occupancy.stretch_bytes},
                  {"columns", {"slab_bytes", "used_bytes", "large_bytes", "free_bytes"}},
                  {"stretches", std::move(map)}};
  return value;
}

void add_arrays(json& facts, const inspect::arrays_overview& arrays) {
  json rows = json::array();
  for (const inspect::array_overview& one : arrays.arrays) rows.push_back(array_row(one));
  facts["arrays"] = std::move(rows);
  facts["other_arrays"] = {{"number", arrays.other_arrays}, {"bytes", arrays.other_array_bytes}};
}

json graph_row(const manager& store, const std::string& name, unsigned threads) {
  const graph::stored_graph found(store, name);
  json row{{"graph", name},
           {"layout", found.list() != nullptr ? "adjacency list" : "csr"},
           {"undirected", found.undirected()},
           {"weighted", found.has_weights()},
           {"vertices", found.vertices()},
           {"edges", found.edges()},
           {"self_loops", found.self_loops()},
           {"stored_neighbours", found.arcs()}};
  const graph::degree_result degrees =
      found.view(threads).visit([](const auto& view) { return graph::degrees(view); });
  row["isolated"] = degrees.isolated;
  row["degrees"] = as_json(graph::degree_distribution(degrees.out), degree_bins_per_doubling);
  if (!found.undirected())
    row["in_degrees"] = as_json(graph::degree_distribution(degrees.in), degree_bins_per_doubling);
  return row;
}

json graph_row(const graph::set_graph& found) {
  std::map<std::uint64_t, std::uint64_t> vertices;
  std::uint64_t self_loops = 0;
  for (int i = 0; i < found.parts(); ++i) {
    const graph::rank_graph part = found.part(i, found.parts());
    for (std::size_t own = 0; own < part.size(); ++own) {
      const auto v = static_cast<graph::vertex_handle>(own);
      ++vertices[part.degree(v)];
      for (const graph::vertex_handle to : part.neighbours(v)) self_loops += to == v ? 1U : 0U;
    }
  }
  const auto isolated = vertices.find(0);
  return {{"graph", found.name()},
          {"layout", "rows of ranks"},
          {"undirected", true},
          {"weighted", found.has_weights()},
          {"vertices", found.vertices()},
          {"edges", (found.arcs() + self_loops) / 2},
          {"self_loops", self_loops},
          {"stored_neighbours", found.arcs()},
          {"isolated", isolated == vertices.end() ? 0 : isolated->second},
          {"degrees", as_json(graph::degree_distribution(std::move(vertices)), degree_bins_per_doubling)}};
}

}  // namespace perdure::cli
