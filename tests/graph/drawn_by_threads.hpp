// The edges of a source, drawn by several threads at once.
#pragma once

#include <perdure/graph/edge_source.hpp>
#include <thread>
#include <vector>

namespace perdure::test {

/// Draws all edges of the source. Those of one thread are beside each other.
inline std::vector<graph::edge> drawn_by_threads(graph::edge_source& source, std::size_t count) {
  std::vector<std::vector<graph::edge>> drawn(count);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : drawn)
      threads.emplace_back([&] {
        graph::edge_batch batch;
        while (source.next(batch)) mine.insert(mine.end(), batch.edges.begin(), batch.edges.end());
      });
  }
  std::vector<graph::edge> together;
  for (const auto& mine : drawn) together.insert(together.end(), mine.begin(), mine.end());
  return together;
}

}  // namespace perdure::test
