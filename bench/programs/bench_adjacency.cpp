// Builds the graph library's adjacency list from an R-MAT graph, on one combination of containers and
// memory, and prints what that cost. The edges are generated beforehand and lie in memory.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <perdure/graph/rmat.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <thread>
#include <vector>

#include "adjacency_workload.hpp"

namespace perdure::bench {

std::uint64_t disk_bytes(const std::filesystem::path& path) {
  const auto blocks_of = [](const std::filesystem::path& file) -> std::uint64_t {
    struct stat status {};
    return lstat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
  };
  if (!std::filesystem::is_directory(path)) return blocks_of(path);
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    sum += blocks_of(entry.path());
  return sum;
}

}  // namespace perdure::bench

int main(int argc, char** argv) {
  using namespace perdure::bench;
  namespace graph = perdure::graph;
  using measurement = nlohmann::json (*)(const adjacency_workload&);
  struct variant {
    measurement build;
    measurement attach;  // null where nothing is left to attach to
  };
  const std::map<std::string, variant> variants = {
      {"perdure-store", {perdure_in_store, attach_perdure_in_store}},
      {"perdure-memory", {perdure_in_memory, nullptr}},
      {"std-pinned-store", {std_in_pinned_store, attach_std_in_pinned_store}},
      {"std-memory", {std_in_memory, nullptr}},
      {"boost-flat-memory", {boost_flat_in_memory, nullptr}},
      {"boost-node-memory", {boost_node_in_memory, nullptr}},
      {"boost-node-store", {boost_node_in_store, nullptr}},
      {"boost-offset-store", {boost_offset_ptr_in_store, nullptr}},
      {"boost-mapped-file", {boost_in_mapped_file, attach_boost_in_mapped_file}},
  };

  CLI::App app("Adjacency-list construction: one sample of one variant");
  std::string name;
  adjacency_workload work;
  graph::rmat_parameters parameters{.scale = 20};
  bool attach = false;
  bool json = false;
  bool quick = false;
  app.add_option("variant", name, "containers and memory")->required()->check(CLI::IsMember(variants));
  app.add_option("--scale", parameters.scale, "R-MAT scale");
  app.add_option("--edge-factor", parameters.edge_factor, "edges per vertex");
  app.add_option("--seed", parameters.seed, "of the generator");
  app.add_option("--threads", work.threads, "threads that ingest")->check(CLI::Range(1U, 1024U));
  app.add_option("--directory", work.directory, "where stores are made")->required();
  app.add_flag("--attach", attach, "open what an earlier run with the same options left, and use it");
  app.add_flag("--json", json, "print one line instead of an indented text");
  app.add_flag("--quick", quick, "scale 10, to see that everything works");
  CLI11_PARSE(app, argc, argv);

  try {
    if (quick) parameters.scale = 10;
    const graph::rmat_generator generator(parameters);
    // Attaching needs one vertex that exists; building needs all edges.
    std::vector<graph::edge> edges(attach ? 1 : generator.edges());
    perdure::workload::parallel_for(
        std::thread::hardware_concurrency(), edges.size(), std::size_t{1} << 16,
        [&](std::size_t begin, std::size_t end) { generator.generate(begin, end, &edges[begin]); });
    work.edges = edges;
    std::filesystem::create_directories(work.directory);

    const variant& chosen = variants.at(name);
    const measurement measure = attach ? chosen.attach : chosen.build;
    nlohmann::json result = nlohmann::json::object();
    if (measure != nullptr) result = measure(work);
    result["benchmark"] = "adjacency";
    result["variant"] = name;
    result["threads"] = work.threads;
    result["scale"] = parameters.scale;
    std::puts(result.dump(json ? -1 : 2).c_str());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_adjacency: %s\n", failure.what());
    return 1;
  }
  return 0;
}
