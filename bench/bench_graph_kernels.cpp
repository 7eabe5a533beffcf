// Kernels of graph/ beside plain OpenMP ones (plain_kernels.hpp), in turns, on an R-MAT graph in the same
// arrays: PageRank, shortest paths with weights, connected components, triangles. Prints JSON: medians of
// wall and CPU time, of which the second matters where other work is on the machine.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/sssp.hpp>
#include <perdure/graph/triangles.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure.hpp"
#include "plain_kernels.hpp"

namespace perdure::bench {
namespace {

struct settings {
  unsigned scale = 20;
  std::uint64_t edge_factor = 16;
  unsigned threads = 2;
  unsigned rounds = 5;
  double tolerance = 1e-4;
  std::int32_t delta = 2;
  bool by_degree = false;
  std::vector<std::string> kernels{"pagerank", "sssp", "components", "triangles"};
};

/// An R-MAT graph whose edges weigh 1 to 255.
class weighted_rmat final : public graph::edge_source {
 public:
  explicit weighted_rmat(const graph::rmat_parameters& parameters) : source_(parameters) {}

  bool next(graph::edge_batch& batch) override {
    if (!source_.next(batch)) return false;
    for (const graph::edge& e : batch.edges)
      batch.values.push_back(static_cast<double>(1 + (e.source * 7919 + e.target * 104729) % 255));
    return true;
  }
  workload::progress progress() const noexcept override { return source_.progress(); }

 private:
  graph::rmat_source source_;
};

struct times {
  std::vector<double> wall;
  std::vector<double> cpu;

  void run(const std::function<void()>& kernel) {
    const stopwatch watch;
    kernel();
    wall.push_back(watch.wall());
    cpu.push_back(watch.cpu());
  }
  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
};

void require(bool right, const char* what) {
  if (!right) throw std::runtime_error(std::string("the answers differ: ") + what);
}

int run(const settings& given) {
  omp_set_num_threads(static_cast<int>(given.threads));
  graph::memory_csr made;
  weighted_rmat source({.scale = given.scale, .edge_factor = given.edge_factor});
  graph::build_csr(made, source,
                   {.kind = graph::direction::undirected,
                    .drop_loops = true,
                    .drop_duplicates = true,
                    .with_weights = true,
                    .order = given.by_degree ? graph::vertex_order::by_degree : graph::vertex_order::by_id,
                    .threads = given.threads});
  const graph::csr_view view = made.view();
  const plain_graph plain{view.offsets, view.targets};
  std::vector<plain_end> ends(view.targets.size());
  for (std::size_t i = 0; i < ends.size(); ++i)
    ends[i] = {view.targets[i], static_cast<std::int32_t>(view.arc_weights[i])};

  nlohmann::ordered_json all{{"scale", given.scale},
                             {"vertices", view.size()},
                             {"arcs", view.arcs()},
                             {"threads", given.threads},
                             {"by_degree", given.by_degree}};
  const auto compare = [&](const std::string& name, const std::function<void(unsigned)>& ours,
                           const std::function<void(unsigned)>& theirs) {
    if (std::find(given.kernels.begin(), given.kernels.end(), name) == given.kernels.end()) return;
    times mine;
    times peer;
    for (unsigned round = 0; round < given.rounds; ++round) {
      mine.run([&] { ours(round); });
      peer.run([&] { theirs(round); });
    }
    all[name] = {{"wall_seconds", times::median(mine.wall)},
                 {"plain_wall_seconds", times::median(peer.wall)},
                 {"cpu_seconds", times::median(mine.cpu)},
                 {"plain_cpu_seconds", times::median(peer.cpu)}};
  };

  unsigned iterations = 0;
  unsigned plain_iterations = 0;
  std::vector<float> ranks;
  compare(
      "pagerank",
      [&](unsigned) {
        iterations =
            graph::pagerank(view, {.tolerance = given.tolerance, .threads = given.threads}).iterations;
      },
      [&](unsigned) { plain_iterations = plain_pagerank(plain, given.tolerance, ranks); });
  all["pagerank_iterations"] = {iterations, plain_iterations};
  const auto start = [&](unsigned round) {
    auto v = static_cast<graph::vertex_handle>((round + 1) * 7919 % view.size());
    while (view.degree(v) == 0) ++v;
    return v;
  };
  std::vector<double> distances;
  compare(
      "sssp",
      [&](unsigned round) {
        distances = graph::sssp(view, start(round),
                                {.delta = static_cast<double>(given.delta), .threads = given.threads})
                        .distances;
      },
      [&](unsigned round) {
        const std::vector<std::int32_t> found = plain_sssp(plain, ends, start(round), given.delta);
        for (std::size_t v = 0; v < found.size(); v += 1009)
          require(distances[v] == std::numeric_limits<double>::infinity() || distances[v] == found[v],
                  "distances");
      });
  std::vector<graph::vertex_handle> labels(view.size());
  compare(
      "components", [&](unsigned) { graph::label_components(view, labels, given.threads); },
      [&](unsigned) { require(plain_components(plain) == labels, "components"); });
  std::uint64_t triangles = 0;
  compare(
      "triangles", [&](unsigned) { triangles = graph::count_triangles(view, given.threads); },
      [&](unsigned) { require(plain_triangles(plain) == triangles, "triangles"); });
  all["triangle_count"] = triangles;
  std::cout << all.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  perdure::bench::settings given;
  CLI::App program{"Graph kernels beside plain ones, on an R-MAT graph"};
  program.add_option("--scale", given.scale);
  program.add_option("--edge-factor", given.edge_factor);
  program.add_option("--threads", given.threads);
  program.add_option("--rounds", given.rounds);
  program.add_option("--tolerance", given.tolerance, "Of PageRank");
  program.add_option("--delta", given.delta, "Of shortest paths, for both");
  program.add_option("--kernels", given.kernels)->delimiter(',');
  program.add_flag("--by-degree", given.by_degree, "Vertices ordered by falling degree");
  CLI11_PARSE(program, argc, argv);
  try {
    return perdure::bench::run(given);
  } catch (const std::exception& e) {
    std::cerr << "bench_graph_kernels: " << e.what() << "\n";
    return 1;
  }
}
