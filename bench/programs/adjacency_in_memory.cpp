// Adjacency lists in ordinary memory: the standard's containers, Boost's with raw pointers, and ours.
#include <memory>
#include <perdure/graph/store_containers.hpp>

#include "adjacency_workload.hpp"
#include "peers/boost_containers.hpp"

namespace perdure::bench {
namespace {

template <class Family>
nlohmann::json run_in_memory(const adjacency_workload& work) {
  graph::adjacency_list<Family> built(graph::direction::directed);
  return build_and_scan(built, work);
}

}  // namespace

nlohmann::json std_in_memory(const adjacency_workload& work) {
  return run_in_memory<graph::std_containers<std::allocator>>(work);
}

nlohmann::json boost_flat_in_memory(const adjacency_workload& work) {
  return run_in_memory<boost_flat_containers<std::allocator>>(work);
}

nlohmann::json boost_node_in_memory(const adjacency_workload& work) {
  return run_in_memory<boost_node_containers<std::allocator>>(work);
}

nlohmann::json perdure_in_memory(const adjacency_workload& work) {
  return run_in_memory<graph::flat_containers<std::allocator>>(work);
}

}  // namespace perdure::bench
