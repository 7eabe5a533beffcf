// Adjacency lists in a store of ours: our containers, the standard's in a pinned store, and Boost's.
#include <perdure/allocator.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/manager.hpp>

#include "adjacency_workload.hpp"
#include "peers/boost_containers.hpp"

namespace perdure::bench {
namespace {

using graph_in_store = graph::adjacency_list<graph::store_containers>;
using graph_in_pinned_store = graph::adjacency_list<graph::std_containers<pinned_allocator>>;
using boost_graph_in_store = graph::adjacency_list<boost_node_containers<allocator>>;

template <class T>
using boost_heap_allocator = boost_offset_allocator<T, heap>;
using boost_offset_graph = graph::adjacency_list<boost_node_containers<boost_heap_allocator>>;

std::filesystem::path store_path(const adjacency_workload& work) {
  return work.directory / "adjacency.store";
}
std::filesystem::path pinned_path(const adjacency_workload& work) {
  return work.directory / "adjacency.pinned";
}

template <class Manager, class Graph>
nlohmann::json run_in_store(const std::filesystem::path& path, const adjacency_workload& work) {
  std::filesystem::remove_all(path);
  Manager store(create_only, path);
  const std::uint64_t written_before = bytes_written(work.directory);
  auto* built = store.template construct<Graph>("graph")(graph::direction::directed);
  nlohmann::json result = build_and_scan(*built, work);
  close_and_weigh(result, work, written_before, [&] { store.close(); });
  result["disk_bytes"] = disk_bytes(path);
  return result;
}

template <class Manager, class Graph>
nlohmann::json attach_in_store(const std::filesystem::path& path, const adjacency_workload& work) {
  const stopwatch watch;
  Manager store(open_only, path);
  const double opened = watch.wall();
  const Graph* attached = store.template find<Graph>("graph").first;
  if (attached == nullptr) throw std::runtime_error("the store lost its graph");
  use(*attached, work);
  return {{"ready_seconds", watch.wall()}, {"open_seconds", opened}};
}

}  // namespace

nlohmann::json perdure_in_store(const adjacency_workload& work) {
  return run_in_store<manager, graph_in_store>(store_path(work), work);
}

nlohmann::json std_in_pinned_store(const adjacency_workload& work) {
  return run_in_store<pinned_manager, graph_in_pinned_store>(pinned_path(work), work);
}

nlohmann::json boost_node_in_store(const adjacency_workload& work) {
  const std::filesystem::path path = work.directory / "adjacency.boost-node";
  nlohmann::json result = run_in_store<manager, boost_graph_in_store>(path, work);
  std::filesystem::remove_all(path);
  return result;
}

nlohmann::json boost_offset_ptr_in_store(const adjacency_workload& work) {
  const std::filesystem::path path = work.directory / "adjacency.boost-offset";
  std::filesystem::remove_all(path);
  nlohmann::json result;
  {
    manager store(create_only, path);
    const std::uint64_t written_before = bytes_written(work.directory);
    {
      boost_offset_graph built(graph::direction::directed,
                               boost_offset_graph::allocator_type(&store.memory()));
      result = build_and_scan(built, work);
      // Measured with the graph still in the store.
      close_and_weigh(result, work, written_before, [&] { store.checkpoint(); });
      result["disk_bytes"] = disk_bytes(path);
    }
    store.close();
  }
  std::filesystem::remove_all(path);
  return result;
}

nlohmann::json attach_perdure_in_store(const adjacency_workload& work) {
  return attach_in_store<manager, graph_in_store>(store_path(work), work);
}

nlohmann::json attach_std_in_pinned_store(const adjacency_workload& work) {
  return attach_in_store<pinned_manager, graph_in_pinned_store>(pinned_path(work), work);
}

}  // namespace perdure::bench
