// A graph in a store of which only a part fits in memory: built edge by edge with checkpoints in between, or
// found again and used. One phase with one backing a run; run.py gives the process its memory. Prints JSON.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>
#include <string>

#include "measure.hpp"
#include "os/memory_limits.hpp"
#include "paging_counters.hpp"

namespace perdure::bench {
namespace {

using graph_in_store = graph::adjacency_list<graph::store_containers>;

struct settings {
  std::filesystem::path store;
  backing memory = backing::paged;
  std::size_t budget = 0;
  graph::rmat_parameters parameters{.scale = 20};
  unsigned checkpoints = 1;
  unsigned threads = 1;
  std::uint64_t lookups = 20000;
  double at_most = 1e9;  // seconds of building

  store_options options() const {
    store_options wanted;
    wanted.backing = memory;
    wanted.memory_budget = budget;
    return wanted;
  }
};

/// The part of a run that a stopwatch was for.
struct cost {
  double wall = 0;
  double cpu = 0;
  void add(const stopwatch& watch) {
    wall += watch.wall();
    cpu += watch.cpu();
  }
  nlohmann::json json() const { return {{"wall", wall}, {"cpu", cpu}}; }
};

nlohmann::json paging_of(const manager& store) {
  const auto s = store.store().paging();
  if (!s) return nullptr;
  return paging_counters(*s);
}

/// What the process takes beside the store.
std::uint64_t own_bytes(const manager& store) {
  const auto paging = store.store().paging();
  const std::uint64_t all = os::anonymous_memory();
  return all - std::min<std::uint64_t>(all, paging ? paging->resident_bytes : 0);
}

nlohmann::json build(const settings& wanted) {
  if (std::filesystem::exists(wanted.store)) manager::remove(wanted.store);
  const std::uint64_t written_before = bytes_written(wanted.store.parent_path());
  const stopwatch all;
  cost ingesting;
  cost checkpointing;
  manager store(create_only, wanted.store, wanted.options());
  auto* built = store.construct<graph_in_store>("graph")(graph::direction::directed);
  graph::rmat_source source(wanted.parameters);
  const std::uint64_t edges = source.progress().total;
  const std::uint64_t step = std::max<std::uint64_t>(edges / 64, 1);
  nlohmann::json paging;
  for (unsigned part = 1; part <= wanted.checkpoints; ++part) {
    const stopwatch ingestion;
    const std::uint64_t end = edges * part / wanted.checkpoints;
    while (built->edges() < end && all.wall() < wanted.at_most)
      graph::ingest(*built, source,
                    {.threads = wanted.threads, .max_edges = std::min(step, end - built->edges())});
    ingesting.add(ingestion);
    if (built->edges() < end) {
      cost so_far;
      so_far.add(all);
      const double done = static_cast<double>(built->edges()) / static_cast<double>(edges);
      store.discard();
      return {{"done", done}, {"all", so_far.json()}, {"checkpoints", checkpointing.json()}};
    }
    if (part == wanted.checkpoints) paging = paging_of(store);
    const stopwatch checkpoint;
    store.checkpoint();
    checkpointing.add(checkpoint);
  }
  if (built->edges() != edges) throw std::runtime_error("the graph lost edges");
  const std::uint64_t own = own_bytes(store);
  store.close();
  cost whole;
  whole.add(all);
  return {{"done", 1.0},
          {"own_bytes", own},
          {"ingest", ingesting.json()},
          {"checkpoints", checkpointing.json()},
          {"all", whole.json()},
          {"paging", std::move(paging)},
          {"written", bytes_written(wanted.store.parent_path()) - written_before},
          {"peak_resident_bytes", peak_resident_bytes()}};
}

void drop_from_page_cache(const std::filesystem::path& store) {
  for (const auto& entry : std::filesystem::directory_iterator(store)) {
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::runtime_error("cannot open " + entry.path().string());
    ::fdatasync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

/// As scattered as ids can be.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

nlohmann::json use(const settings& wanted) {
  drop_from_page_cache(wanted.store);
  const graph::rmat_generator generator(wanted.parameters);
  cost attaching;
  const stopwatch attachment;
  const manager store(open_read_only, wanted.store, wanted.options());
  const graph_in_store* found = store.find<graph_in_store>("graph").first;
  if (found == nullptr) throw std::runtime_error("the store lost its graph");
  attaching.add(attachment);

  cost looking_up;
  std::uint64_t sum = 0;
  const stopwatch lookup;
  for (std::uint64_t i = 0; i < wanted.lookups; ++i) {
    // The sources of edges, so that a vertex is asked for as often as it is connected.
    const auto* neighbours = found->find(generator(mixed(i + 1) % generator.edges()).source);
    if (neighbours == nullptr) throw std::runtime_error("the store lost a vertex");
    sum += neighbours->back();
  }
  looking_up.add(lookup);

  cost searching;
  const stopwatch search;
  std::uint64_t reached = 0;
  std::uint64_t own = 0;
  {
    const graph::vertex_index index(*found, wanted.threads);
    reached = graph::bfs(index, index.find(generator(0).source), wanted.threads).summary.reached;
    own = own_bytes(store);
  }
  searching.add(search);
  return {{"attach", attaching.json()},
          {"lookups", looking_up.json()},
          {"bfs", searching.json()},
          {"own_bytes", own},
          {"sum", sum},
          {"reached", reached},
          {"paging", paging_of(store)},
          {"peak_resident_bytes", peak_resident_bytes()}};
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  using perdure::backing;
  CLI::App app{"A graph in a store of which only a part fits in memory"};
  perdure::bench::settings wanted;
  std::string phase;
  const std::map<std::string, backing> backings = {
      {"paged", backing::paged}, {"private", backing::private_memory}, {"shared", backing::shared_file}};
  app.add_option("phase", phase, "build, or use what was built")
      ->required()
      ->check(CLI::IsMember({"build", "use"}));
  app.add_option("--store", wanted.store)->required();
  app.add_option("--backing", wanted.memory)->transform(CLI::CheckedTransformer(backings));
  app.add_option("--budget", wanted.budget, "bytes; 0: the library's own choice");
  app.add_option("--scale", wanted.parameters.scale, "R-MAT scale")->check(CLI::Range(1U, 31U));
  app.add_option("--checkpoints", wanted.checkpoints, "at equal distances, the last one at the end")
      ->check(CLI::Range(1U, 1000U));
  app.add_option("--threads", wanted.threads)->check(CLI::Range(1U, 1024U));
  app.add_option("--lookups", wanted.lookups);
  app.add_option("--at-most", wanted.at_most, "seconds after which building is given up");
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::json result = phase == "build" ? perdure::bench::build(wanted) : perdure::bench::use(wanted);
    std::cout << result.dump() << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_paged_store: " << e.what() << '\n';
    return 1;
  }
}
