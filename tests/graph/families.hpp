// The container families every graph test runs on, each with the memory it needs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/heap.hpp>

#include "support/tested_segment.hpp"

namespace perdure::test {

template <class T>
using standard_allocator = std::allocator<T>;

/// Ordinary memory.
template <class Family>
class in_memory {
 public:
  using graph_type = graph::adjacency_list<Family>;
  graph_type& make(graph::direction d) {
    graph_ = std::make_unique<graph_type>(d);
    return *graph_;
  }

 private:
  std::unique_ptr<graph_type> graph_;
};

/// A Perdure heap, a fresh one for each graph.
template <class Family>
class in_heap {
 public:
  using graph_type = graph::adjacency_list<Family>;
  graph_type& make(graph::direction d) {
    graph_.reset();
    heap_.reset();
    segment_ = tested::make_segment(std::size_t{4} << 30);
    heap_ = heap::format(*segment_);
    graph_ = std::make_unique<graph_type>(d, typename graph_type::allocator_type(*heap_));
    return *graph_;
  }

 private:
  std::unique_ptr<detail::segment> segment_;
  std::unique_ptr<heap> heap_;
  std::unique_ptr<graph_type> graph_;
};

using graph_families =
    testing::Types<in_memory<graph::std_containers<standard_allocator>>, in_heap<graph::store_containers>,
                   in_heap<graph::flat_containers<pinned_allocator>>,
                   in_heap<graph::std_containers<pinned_allocator>>>;

}  // namespace perdure::test
