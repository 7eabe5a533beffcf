// A program that adds a file of edges to a graph at each run, and prints what the graph has then.
#include <iostream>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/ingest_files.hpp>

int main(int argc, char** argv) {
  namespace graph = perdure::graph;
  if (argc != 3) return 2;
  perdure::manager store(perdure::open_or_create, argv[1]);
  graph::ingest_files(store, {argv[2]}, {.again = true});
  graph::growing_graph::open(store).freeze();
  store.checkpoint();
  const graph::stored_graph found(store);
  found.view().visit([&](const auto& view) {
    std::cout << graph::connected_components(view).summary.components << " component, " << found.edges()
              << " edges" << (found.frozen() == graph::frozen_state::fresh ? ", fresh" : "") << '\n';
  });
}
