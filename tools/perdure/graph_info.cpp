// perdure graph info: size and kind of the graph in a store.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "command.hpp"
#include "stored_graph.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

using ranked = std::pair<std::uint64_t, graph::vertex_id>;  // neighbours, vertex

// The vertices with the most neighbours, the smaller id first among equals.
std::vector<ranked> largest_degrees(const stored_graph& g, std::size_t count) {
  auto before = [](const ranked& a, const ranked& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::vector<ranked> top;  // a heap whose first element is the one to give up next
  if (count == 0) return top;
  for (std::size_t i = 0; i < graph::bank_count; ++i)
    for (const auto& [v, neighbours] : g.bank(i)) {
      const ranked candidate{neighbours.size(), v};
      if (top.size() == count) {
        if (!before(candidate, top.front())) continue;
        std::pop_heap(top.begin(), top.end(), before);
        top.pop_back();
      }
      top.push_back(candidate);
      std::push_heap(top.begin(), top.end(), before);
    }
  std::sort_heap(top.begin(), top.end(), before);
  return top;
}

void show_graph(const std::filesystem::path& path, verify_mode verify, std::size_t top_count, bool as_json) {
  const attached_graph attached(path, verify);
  const stored_graph& g = *attached.graph;
  const std::vector<ranked> top = largest_degrees(g, top_count);
  const std::uint64_t epoch = attached.store.store().epoch();
  if (as_json) {
    json value{{"store", path.string()},
               {"epoch", epoch},
               {"undirected", g.undirected()},
               {"vertices", g.vertices()},
               {"edges", g.edges()},
               {"self_loops", g.self_loops()},
               {"stored_neighbours", g.arcs()},
               {"attach_seconds", attached.seconds}};
    if (top_count != 0) {
      value["top"] = json::array();
      for (const auto& [degree, v] : top) value["top"].push_back({{"id", v}, {"neighbours", degree}});
    }
    print(value);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds) + ", at epoch " + grouped(epoch) + "\n");
  out.write("graph          " + summary_of(g) + "\n");
  out.write("self loops     " + grouped(g.self_loops()) + "\n");
  out.write("neighbours     " + grouped(g.arcs()) + " stored\n");
  for (const auto& [degree, v] : top)
    out.write("vertex " + std::to_string(v) + "  " + counted(degree, "neighbour", "neighbours") + "\n");
  out.finish();
}

}  // namespace

void add_graph_info_command(command graph_command) {
  struct options {
    std::filesystem::path store;
    std::size_t top = 0;
    verify_mode verify = verify_mode::journal;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command info = graph_command.add_command("info", "Show size and kind of the graph in a store");
  info.add_path("STORE", given->store, "The store's directory").required();
  info.add_number("--top", 0, 1'000'000'000, "Also list the N vertices with the most neighbours",
                  [given](std::uint64_t n) { given->top = n; });
  add_verify_option(info, given->verify);
  add_json_option(info, given->as_json);
  info.callback([given] { show_graph(given->store, given->verify, given->top, given->as_json); });
}

}  // namespace perdure::cli
