// The adjacency-list benchmark: the graph library's own adjacency list and ingestion, unchanged, on many
// combinations of containers and memory. Only those two differ between variants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/ingest.hpp>
#include <span>
#include <stdexcept>

#include "measure.hpp"

namespace perdure::bench {

struct adjacency_workload {
  std::span<const graph::edge> edges;
  unsigned threads = 1;
  std::filesystem::path directory;  // of stores
};

/// A value that depends on every edge but not on their order: the graph must hold what it was given.
inline std::uint64_t fingerprint(graph::vertex_id source, graph::vertex_id target) noexcept {
  return (source * 0x9E3779B97F4A7C15U + 1) * (target * 0xff51afd7ed558ccdU + 1);
}

template <class Graph>
void check_content(const Graph& built, std::span<const graph::edge> edges) {
  std::uint64_t expected = 0;
  for (const graph::edge& e : edges) expected += fingerprint(e.source, e.target);
  std::uint64_t found = 0;
  for (std::size_t bank = 0; bank < graph::bank_count; ++bank) {
    for (const auto& [source, neighbours] : built.bank(bank)) {
      for (const graph::vertex_id target : graph::as_span(neighbours)) found += fingerprint(source, target);
    }
  }
  if (found != expected) throw std::runtime_error("the adjacency list lost edges");
}

/// Builds and scans, and records what that cost.
template <class Graph>
nlohmann::json build_and_scan(Graph& built, const adjacency_workload& work) {
  const std::size_t resident = resident_bytes();
  graph::span_source source(work.edges);
  const stopwatch construction;
  graph::ingest(built, source, {.threads = work.threads});
  nlohmann::json result = {{"construction_wall", construction.wall()},
                           {"construction_cpu", construction.cpu()}};
  result["resident_bytes"] = resident_bytes() - resident;

  // One pass over every neighbour, in the order of the containers.
  const stopwatch scanning;
  std::uint64_t sum = 0;
  for (std::size_t bank = 0; bank < graph::bank_count; ++bank) {
    for (const auto& [source_id, neighbours] : built.bank(bank)) {
      for (const graph::vertex_id target : neighbours) sum += target;
    }
  }
  result["scan_wall"] = scanning.wall();
  result["scan_sum"] = sum;
  check_content(built, work.edges);
  return result;
}

/// Adds the cost of making a store durable, `close` being the call that does it.
template <class Close>
void close_and_weigh(nlohmann::json& result, const adjacency_workload& work, std::uint64_t written_before,
                     Close&& close) {
  const stopwatch closing;
  close();
  result["close_wall"] = closing.wall();
  result["close_cpu"] = closing.cpu();
  result["written_bytes"] = bytes_written(work.directory) - written_before;
}

/// Looks one vertex up that must exist, as the first use of a re-attached graph.
template <class Graph>
void use(const Graph& attached, const adjacency_workload& work) {
  const auto* neighbours = attached.find(work.edges.front().source);
  if (neighbours == nullptr || neighbours->empty()) throw std::runtime_error("the store lost a vertex");
}

/// Allocated on disk by a file, or by the files of a directory.
std::uint64_t disk_bytes(const std::filesystem::path& path);

// In ordinary memory: put the malloc to compare with under the process.
nlohmann::json std_in_memory(const adjacency_workload& work);
nlohmann::json boost_flat_in_memory(const adjacency_workload& work);
nlohmann::json boost_node_in_memory(const adjacency_workload& work);
nlohmann::json perdure_in_memory(const adjacency_workload& work);
// In a store of ours.
nlohmann::json perdure_in_store(const adjacency_workload& work);
nlohmann::json std_in_pinned_store(const adjacency_workload& work);
nlohmann::json boost_node_in_store(const adjacency_workload& work);
nlohmann::json boost_offset_ptr_in_store(const adjacency_workload& work);
// In Boost's mapped file.
nlohmann::json boost_in_mapped_file(const adjacency_workload& work);

// In a fresh process: from opening what a variant left to the first neighbours found in it.
nlohmann::json attach_perdure_in_store(const adjacency_workload& work);
nlohmann::json attach_std_in_pinned_store(const adjacency_workload& work);
nlohmann::json attach_boost_in_mapped_file(const adjacency_workload& work);

}  // namespace perdure::bench
