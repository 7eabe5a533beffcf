#include "crash/unsynced/snapshotting_ingestion.hpp"

#include <cstdio>
#include <future>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/manager.hpp>
#include <sstream>

namespace perdure::crash {

namespace {

constexpr const char* before_snapshot = "snapshot ";

void announce(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void ingest(manager& store, const ingestion_plan& plan) {
  using stored_graph = graph::adjacency_list<graph::store_containers>;
  auto* stored = store.find<stored_graph>("graph").first;
  if (stored == nullptr) {
    stored =
        store.construct<stored_graph>("graph")(graph::direction::directed, store.get_allocator<std::byte>());
  }
  graph::rmat_source source(plan.edges);
  std::future<void> watcher;
  for (std::uint64_t made = 1;; ++made) {
    const graph::ingest_result added = graph::ingest(*stored, source, {plan.threads, plan.checkpoint_every});
    if (watcher.valid()) watcher.get();
    if (added.exhausted) break;
    const std::uint64_t edges = stored->edges();
    const pending_checkpoint pending = store.checkpoint_async();
    constexpr std::uint64_t checkpoints_a_snapshot = 3;
    const bool is_kept = made % checkpoints_a_snapshot == 0;
    watcher = std::async(std::launch::async, [&store, pending, edges, is_kept] {
      const std::string epoch = std::to_string(pending.epoch());
      announce("checkpoint     epoch " + epoch + ", " + std::to_string(edges) + " edges, in the background");
      if (!is_kept) return;
      store.snapshot(store.path().parent_path() / snapshot_of(pending.epoch()));
      announce(before_snapshot + epoch);
    });
  }
}

}  // namespace

std::string snapshot_of(std::uint64_t epoch) {
  return "snapshot-" + std::to_string(epoch);
}

std::vector<std::uint64_t> announced_snapshots(const std::string& output) {
  std::vector<std::uint64_t> all;
  std::istringstream lines(output);
  const std::string before = before_snapshot;
  for (std::string line; std::getline(lines, line) && !lines.eof();)
    if (line.starts_with(before)) all.push_back(std::stoull(line.substr(before.size())));
  return all;
}

void ingest_with_snapshots(const std::filesystem::path& path, const ingestion_plan& plan) {
  manager store(open_or_create, path);
  ingest(store, plan);
  store.close();
}

}  // namespace perdure::crash
