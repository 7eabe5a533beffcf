// perdure graph info: size and kind of the graph in a store.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "command.hpp"
#include "graph_options.hpp"
#include "stored_graph.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

using ranked = std::pair<std::uint64_t, graph::vertex_id>;  // neighbours, vertex

/// The vertices with the most neighbours, the smaller id first among equals.
class largest_degrees {
 public:
  explicit largest_degrees(std::size_t count) : count_(count) {}

  void see(graph::vertex_id v, std::uint64_t degree) {
    const ranked candidate{degree, v};
    if (top_.size() == count_) {
      if (count_ == 0 || !before(candidate, top_.front())) return;
      std::pop_heap(top_.begin(), top_.end(), before);
      top_.pop_back();
    }
    top_.push_back(candidate);
    std::push_heap(top_.begin(), top_.end(), before);
  }
  /// The first one first. Once.
  std::vector<ranked> take() {
    std::sort_heap(top_.begin(), top_.end(), before);
    return std::move(top_);
  }

 private:
  static bool before(const ranked& a, const ranked& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }

  std::size_t count_;
  std::vector<ranked> top_;  // a heap whose first element is the one to give up next
};

template <class Visit>
void each_degree(const stored_graph& g, Visit&& visit) {
  for (std::size_t i = 0; i < graph::bank_count; ++i)
    for (const auto& [v, neighbours] : g.bank(i)) visit(v, neighbours.size());
}
template <class Visit>
void each_degree(const graph::stored_csr& g, Visit&& visit) {
  const graph::csr_view view = g.view();
  for (graph::vertex_handle v = 0; v < view.size(); ++v) visit(view.id(v), view.degree(v));
}

bool has_weights(const attached_graph& attached, const stored_graph&) {
  return attached.weights != nullptr;
}
bool has_weights(const attached_graph&, const graph::stored_csr& g) {
  return g.has_weights();
}

const char* layout_of(const stored_graph&) {
  return "adjacency list";
}
const char* layout_of(const graph::stored_csr&) {
  return "csr";
}

struct info_options {
  std::filesystem::path store;
  std::string graph;
  std::uint64_t budget = 0;
  std::size_t top = 0;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

template <class Graph>
void show_graph(const info_options& given, const attached_graph& attached, const Graph& g) {
  std::vector<ranked> top;
  if (given.top != 0) {
    largest_degrees largest(given.top);
    each_degree(g, [&](graph::vertex_id v, std::uint64_t degree) { largest.see(v, degree); });
    top = largest.take();
  }
  const std::uint64_t epoch = attached.store.store().epoch();
  if (given.as_json) {
    json value{{"store", given.store.string()},
               {"epoch", epoch},
               {"graph", attached.name},
               {"layout", layout_of(g)},
               {"undirected", g.undirected()},
               {"weighted", has_weights(attached, g)},
               {"vertices", g.vertices()},
               {"edges", g.edges()},
               {"self_loops", g.self_loops()},
               {"stored_neighbours", g.arcs()},
               {"attach_seconds", attached.seconds}};
    if (given.top != 0) {
      value["top"] = json::array();
      for (const auto& [degree, v] : top) {
        json one{{"id", v}};
        if (attached.names != nullptr) one["name"] = attached.name_of(v);
        one["neighbours"] = degree;
        value["top"].push_back(std::move(one));
      }
    }
    print(value);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached.seconds) + ", at epoch " + grouped(epoch) + "\n");
  out.write("graph          " + summary_of(g) + "\n");
  out.write("kept as        " + std::string(layout_of(g)) +
            (has_weights(attached, g) ? ", with weights\n" : "\n"));
  out.write("self loops     " + grouped(g.self_loops()) + "\n");
  out.write("neighbours     " + grouped(g.arcs()) + " stored\n");
  for (const auto& [degree, v] : top)
    out.write("vertex " + printable_name(attached.name_of(v)) + "  " +
              counted(degree, "neighbour", "neighbours") + "\n");
  out.finish();
}

}  // namespace

void add_graph_info_command(command graph_command) {
  auto given = std::make_shared<info_options>();
  command info = graph_command.add_command("info", "Show size and kind of the graph in a store");
  info.add_path("STORE", given->store, store_to_read).required();
  add_graph_options(info, given->graph, given->budget);
  info.add_number("--top", 0, 1'000'000'000, "Also list the N vertices with the most neighbours",
                  [given](std::uint64_t n) { given->top = n; });
  add_verify_option(info, given->verify);
  add_json_option(info, given->as_json);
  info.callback([given] {
    const attached_graph attached(given->store, given->graph, settings_for(given->verify, given->budget));
    std::visit([&](const auto* g) { show_graph(*given, attached, *g); }, attached.graph);
  });
}

}  // namespace perdure::cli
