// The container families every graph test runs on, each with the memory it needs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <perdure/graph/adjacency_list.hpp>

namespace perdure::test {

template <class T>
using standard_allocator = std::allocator<T>;

/// A graph on `std::` containers in ordinary memory.
struct in_memory {
  using graph_type = graph::adjacency_list<graph::std_containers<standard_allocator>>;
  graph_type& make(graph::direction d) {
    graph_ = std::make_unique<graph_type>(d);
    return *graph_;
  }

 private:
  std::unique_ptr<graph_type> graph_;
};

using graph_families = testing::Types<in_memory>;

}  // namespace perdure::test
