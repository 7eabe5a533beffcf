// Graph kernels on a CSR in a store, on the same in ordinary memory, plain OpenMP ones (plain_kernels.hpp)
// and other libraries' (graph_peers.hpp), in turns; and what it takes to have the graph at all. One task a
// run, which prints JSON; times are in seconds.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/triangles.hpp>
#include <perdure/graph/wide_csr.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "peers/graph_peers.hpp"
#include "peers/plain_kernels.hpp"

namespace perdure::bench {
namespace {

struct settings {
  std::string task;
  std::filesystem::path edges;
  std::filesystem::path store;
  unsigned scale = 20;
  unsigned rounds = 5;
  double slow = 5;
  kernel_settings kernels;
  std::vector<std::string> wanted{"bfs", "pagerank", "sssp", "components", "triangles"};
  std::vector<std::string> ways{"stored", "memory", "plain", "graphblas", "igraph"};
};

const std::map<std::string, kernel> kernels_by_name{{"bfs", kernel::bfs},
                                                    {"pagerank", kernel::pagerank},
                                                    {"sssp", kernel::sssp},
                                                    {"components", kernel::components},
                                                    {"triangles", kernel::triangles}};

/// Edges that weigh 1 to 255, whatever they weighed.
class weighted_edges final : public graph::edge_source {
 public:
  explicit weighted_edges(graph::edge_source& source) : source_(source) {}

  bool next(graph::edge_batch& batch) override {
    if (!source_.next(batch)) return false;
    batch.values.clear();
    for (const graph::edge& e : batch.edges)
      batch.values.push_back(static_cast<double>(1 + (e.source * 7919 + e.target * 104729) % 255));
    return true;
  }
  workload::progress progress() const noexcept override { return source_.progress(); }

 private:
  graph::edge_source& source_;
};

template <class Graph>
void build(Graph& made, const settings& given, bool with_weights) {
  const auto file = graph::open_graph_file(given.edges);
  weighted_edges weighted(*file);
  graph::build_csr(made, with_weights ? static_cast<graph::edge_source&>(weighted) : *file,
                   {.kind = graph::direction::undirected,
                    .drop_loops = true,
                    .drop_duplicates = true,
                    .with_weights = with_weights,
                    .threads = given.kernels.threads});
}

/// The kernels of graph/, on arrays wherever they are.
class own_kernels final : public measured_kernels {
 public:
  own_kernels(const graph::csr_view& view, const kernel_settings& given)
      : view_(view),
        given_(given),
        parents_(view.size()),
        labels_(view.size()),
        scratch_(graph::bfs_arrays::scratch_bytes(view.size())) {}

  std::optional<double> run(kernel which, graph::vertex_handle source) override {
    switch (which) {
      case kernel::bfs:
        return static_cast<double>(
            graph::bfs(view_, source, {{}, parents_, scratch_}, given_.threads).reached);
      case kernel::pagerank:
        return graph::pagerank(view_, {.tolerance = given_.tolerance, .threads = given_.threads}).iterations;
      case kernel::sssp: {
        double sum = 0;
        for (const double distance :
             graph::sssp(view_, source,
                         {.delta = static_cast<double>(given_.delta), .threads = given_.threads})
                 .distances)
          if (std::isfinite(distance)) sum += distance;
        return sum;
      }
      case kernel::components:
        graph::label_components(view_, labels_, given_.threads);
        return static_cast<double>(graph::count_components(labels_).components);
      case kernel::triangles:
        return static_cast<double>(graph::count_triangles(view_, given_.threads));
    }
    return std::nullopt;
  }

 private:
  graph::csr_view view_;
  kernel_settings given_;
  std::vector<graph::vertex_handle> parents_;
  std::vector<graph::vertex_handle> labels_;
  std::vector<std::byte> scratch_;
};

class plain_kernels final : public measured_kernels {
 public:
  plain_kernels(const graph::csr_view& view, const kernel_settings& given)
      : graph_{view.offsets, view.targets}, given_(given), ends_(view.targets.size()) {
    for (std::size_t i = 0; i < ends_.size(); ++i)
      ends_[i] = {view.targets[i], static_cast<std::int32_t>(view.arc_weights[i])};
  }

  std::optional<double> run(kernel which, graph::vertex_handle source) override {
    switch (which) {
      case kernel::bfs:
        return static_cast<double>(plain_bfs(graph_, source, parents_));
      case kernel::pagerank:
        return plain_pagerank(graph_, given_.tolerance, ranks_);
      case kernel::sssp: {
        double sum = 0;
        for (const std::int32_t distance : plain_sssp(graph_, ends_, source, given_.delta))
          if (distance < std::numeric_limits<std::int32_t>::max() / 2) sum += distance;
        return sum;
      }
      case kernel::components:
        return static_cast<double>(graph::count_components(plain_components(graph_)).components);
      case kernel::triangles:
        return static_cast<double>(plain_triangles(graph_));
    }
    return std::nullopt;
  }

 private:
  plain_graph graph_;
  kernel_settings given_;
  std::vector<plain_end> ends_;
  std::vector<std::int32_t> parents_;
  std::vector<float> ranks_;
};

/// Vertices with neighbours, spread over the graph.
graph::vertex_handle start_of(const graph::csr_view& view, unsigned round) {
  auto v = static_cast<graph::vertex_handle>((round + 1) * 7919 % view.size());
  while (view.degree(v) == 0) v = static_cast<graph::vertex_handle>((v + 1) % view.size());
  return v;
}

const graph::stored_csr& csr_of(const manager& store) {
  const auto* found = store.find<graph::stored_csr>("graph").first;
  if (found == nullptr) throw std::runtime_error("the store has no graph: make it with --task make");
  return *found;
}

nlohmann::json make(const settings& given) {
  std::filesystem::remove_all(given.store);
  manager store(create_only, given.store);
  const stopwatch watch;
  auto& made = *store.construct<graph::stored_csr>("graph")();
  build(made, given, true);
  graph::widen_csr(*store.construct<graph::stored_wide_csr>("wide")(), made, given.kernels.threads);
  store.close();
  return {{"seconds", watch.wall()}};
}

nlohmann::json time_kernels(const settings& given) {
  const manager store(open_read_only, given.store);
  const graph::stored_csr& stored = csr_of(store);
  const graph::csr_view view = stored.view();
  const std::vector<std::uint64_t> offsets(view.offsets.begin(), view.offsets.end());
  const std::vector<graph::vertex_handle> targets(view.targets.begin(), view.targets.end());
  const std::vector<double> weights(view.arc_weights.begin(), view.arc_weights.end());
  graph::csr_view in_memory = view;
  in_memory.offsets = offsets;
  in_memory.targets = targets;
  in_memory.arc_weights = weights;

  std::vector<std::pair<std::string, std::unique_ptr<measured_kernels>>> ways;
  const auto add = [&](const char* name, auto&& make_kernels) {
    if (std::find(given.ways.begin(), given.ways.end(), name) != given.ways.end())
      ways.emplace_back(name, make_kernels());
  };
  add("stored", [&] { return std::make_unique<own_kernels>(view, given.kernels); });
  add("memory", [&] { return std::make_unique<own_kernels>(in_memory, given.kernels); });
  add("plain", [&] { return std::make_unique<plain_kernels>(in_memory, given.kernels); });
#ifdef WITH_GRAPHBLAS
  const auto* const wide = store.find<graph::stored_wide_csr>("wide").first;
  add("graphblas", [&] { return graphblas_kernels(wide->view(), given.kernels); });
#endif
#ifdef WITH_IGRAPH
  add("igraph", [&] { return igraph_kernels(in_memory, given.kernels); });
#endif

  nlohmann::json all{{"vertices", view.size()}, {"edges", stored.edges()}};
  for (const std::string& name : given.wanted) {
    const kernel which = kernels_by_name.at(name);
    nlohmann::json times;
    std::vector<bool> is_slow(ways.size());
    // One round more, which is not counted.
    for (unsigned round = 0; round <= given.rounds; ++round) {
      const graph::vertex_handle source = start_of(view, round);
      std::optional<double> answer;
      for (std::size_t i = 0; i < ways.size(); ++i) {
        const std::size_t turn = (i + round) % ways.size();
        if (is_slow[turn]) continue;
        const stopwatch watch;
        const std::optional<double> found = ways[turn].second->run(which, source);
        const double seconds = watch.wall();
        const double cpu = watch.cpu();
        if (!found) continue;
        // Slow ones of other libraries are run once, and not in turns.
        const bool is_own =
            ways[turn].first == "stored" || ways[turn].first == "memory" || ways[turn].first == "plain";
        is_slow[turn] = !is_own && seconds > given.slow;
        if (round != 0 || is_slow[turn]) {
          times[ways[turn].first]["wall"].push_back(seconds);
          times[ways[turn].first]["cpu"].push_back(cpu);
        }
        if (which == kernel::pagerank) {
          times[ways[turn].first]["iterations"] = *found;
          continue;
        }
        if (answer && *answer != *found)
          throw std::runtime_error("the answers differ: " + name + " of " + ways[turn].first + " is " +
                                   std::to_string(*found) + ", not " + std::to_string(*answer));
        answer = found;
      }
    }
    all["kernels"][name] = times;
  }
  return all;
}

/// From nothing to the answer of a search.
nlohmann::json first_answer(const settings& given) {
  const stopwatch watch;
  std::uint64_t reached = 0;
  double had = 0;
  if (given.task == "open") {
    const manager store(open_read_only, given.store);
    const graph::csr_view view = csr_of(store).view();
    had = watch.wall();
    reached = graph::bfs(view, start_of(view, 0), given.kernels.threads).summary.reached;
  } else if (given.task == "parse") {
    graph::memory_csr made;
    build(made, given, false);
    had = watch.wall();
    reached = graph::bfs(made.view(), start_of(made.view(), 0), given.kernels.threads).summary.reached;
#ifdef WITH_GRAPHBLAS
  } else if (given.task == "graphblas-open") {
    const manager store(open_read_only, given.store);
    const auto view = store.find<graph::stored_wide_csr>("wide").first->view();
    had = watch.wall();
    reached = search_given_matrix(view, start_of(csr_of(store).view(), 0));
  } else if (given.task == "graphblas-parse") {
    reached = search_rebuilt_matrix(given.edges.string(), given.kernels.threads);
#endif
  } else {
    throw std::runtime_error("no such task: " + given.task);
  }
  return {{"seconds", watch.wall()}, {"graph_seconds", had}, {"reached", reached}};
}

/// An R-MAT graph as text.
nlohmann::json write_edges(const settings& given) {
  const graph::rmat_generator generator({.scale = given.scale, .edge_factor = 16});
  std::ofstream file(given.edges, std::ios::trunc);
  std::vector<graph::edge> edges(std::size_t{1} << 20);
  std::string lines;
  for (std::uint64_t at = 0; at < generator.edges(); at += edges.size()) {
    edges.resize(std::min<std::uint64_t>(edges.size(), generator.edges() - at));
    generator.generate(at, at + edges.size(), edges.data());
    lines.clear();
    for (const graph::edge& e : edges) {
      lines += std::to_string(e.source);
      lines += ' ';
      lines += std::to_string(e.target);
      lines += '\n';
    }
    file << lines;
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + given.edges.string());
  return {{"edges", generator.edges()}};
}

/// For libraries that read no store: each edge once, its ends and its weight.
nlohmann::json export_edges(const settings& given) {
  struct record {
    std::uint32_t source;
    std::uint32_t target;
    double weight;
  };
  const manager store(open_read_only, given.store);
  const graph::csr_view view = csr_of(store).view();
  std::ofstream file(given.edges, std::ios::binary | std::ios::trunc);
  std::vector<record> records;
  for (std::size_t v = 0; v < view.size(); ++v) {
    records.clear();
    for (std::uint64_t i = view.offsets[v]; i < view.offsets[v + 1]; ++i)
      if (view.targets[i] > v)
        records.push_back({static_cast<std::uint32_t>(v), view.targets[i], view.arc_weights[i]});
    file.write(reinterpret_cast<const char*>(records.data()),
               static_cast<std::streamsize>(records.size() * sizeof(record)));
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + given.edges.string());
  return {{"edges", view.arcs() / 2}};
}

nlohmann::json run(const settings& given) {
  omp_set_num_threads(static_cast<int>(given.kernels.threads));
  if (given.task == "edges") return write_edges(given);
  if (given.task == "make") return make(given);
  if (given.task == "export") return export_edges(given);
  if (given.task == "kernels") return time_kernels(given);
  if (given.task == "peers") {
    nlohmann::json peers = nlohmann::json::array();
#ifdef WITH_GRAPHBLAS
    peers.push_back("graphblas");
#endif
#ifdef WITH_IGRAPH
    peers.push_back("igraph");
#endif
    return {{"peers", peers}};
  }
  return first_answer(given);
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  perdure::bench::settings given;
  CLI::App program{"Graph kernels beside those of others"};
  program
      .add_option(
          "--task", given.task,
          "peers: what is built in; edges: write an R-MAT graph as text; make: the store of an edge list; "
          "kernels: time them; export: its edges as records; open, parse, graphblas-open, graphblas-parse: "
          "from nothing to the answer of a "
          "search")
      ->required();
  program.add_option("--edges", given.edges, "an edge list");
  program.add_option("--store", given.store);
  program.add_option("--scale", given.scale);
  program.add_option("--threads", given.kernels.threads);
  program.add_option("--rounds", given.rounds);
  program.add_option("--slow", given.slow, "what of other libraries takes more seconds is run once");
  program.add_option("--tolerance", given.kernels.tolerance, "of PageRank");
  program.add_option("--delta", given.kernels.delta, "of shortest paths");
  program.add_option("--kernels", given.wanted)->delimiter(',');
  program.add_option("--ways", given.ways, "which of the kernels are timed")->delimiter(',');
  CLI11_PARSE(program, argc, argv);
  try {
    std::cout << perdure::bench::run(given).dump() << "\n";
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_graph_kernels: " << e.what() << "\n";
    return 1;
  }
}
