// Keeps a network of links between stations. Each run reads the text "build LINKS.h5", "add FROM TO", "rank"
// or "list" on standard input and works on the store `network.store` in the current folder.
//
//   build FILE.h5   imports the array `links` (n x 2 numbers) from an HDF5 file, builds a graph of it and
//   freezes it;
//                   without such a file the program first writes one: a ring of 1,000 stations
//   add FROM TO     adds a link; the frozen form of the graph stays fresh
//   rank            computes PageRank on the frozen form and prints the most important station
//   list            lists what the store contains
//   was LABEL       prints how many links the checkpoint with that label has, where the file system keeps
//   checkpoints
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <perdure/formats/store_exchange.hpp>
#include <perdure/graph/growing_graph.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/perdure.hpp>
#include <string>
#include <vector>

namespace {

namespace graph = perdure::graph;
const char* const store_path = "network.store";

void write_ring(const std::string& file) {
  constexpr std::uint64_t stations = 1000;
  std::vector<std::uint64_t> links;
  for (std::uint64_t station = 0; station < stations; ++station)
    links.insert(links.end(), {station, (station + 1) % stations});
  perdure::formats::write_array(
      file, *perdure::formats::source_of(
                "links", perdure::array_view<const std::uint64_t, 2>(links.data(), {stations, 2})));
}

/// Returns the options of the store: the last two labelled checkpoints are kept, where that costs no copy.
perdure::store_options keeping(unsigned checkpoints) {
  perdure::store_options options;
  options.keep_last = checkpoints;
  return options;
}

void build(const std::string& file) {
  if (!std::filesystem::exists(file)) write_ring(file);
  perdure::manager store(perdure::create_only, store_path);
  perdure::array_store arrays(store);
  perdure::formats::import_arrays(arrays, "", perdure::formats::array_file(file));
  const auto links = arrays.load<std::vector<std::uint64_t>>("links");
  std::vector<graph::edge> edges;
  for (std::size_t i = 0; i + 1 < links.size(); i += 2) edges.push_back({links[i], links[i + 1]});
  graph::growing_graph network(store, "network", {.kind = graph::direction::directed});
  network.add(edges);
  network.freeze();
  std::cout << edges.size() << " links\n";
}

void add(std::uint64_t from, std::uint64_t to) {
  const auto open = [](unsigned kept) {
    return perdure::manager(perdure::open_only, store_path, keeping(kept));
  };
  const auto add_to = [&](perdure::manager store, const char* label) {
    auto network = graph::growing_graph::open(store, "network");
    network.add(std::vector<graph::edge>{{from, to}});
    store.checkpoint(label);
    std::cout << (network.frozen() == graph::frozen_state::fresh ? "fresh\n" : "stale\n");
  };
  try {
    add_to(open(2), "added");
  } catch (const perdure::error& failure) {
    // The file system cannot share blocks, so checkpoints are made but not kept.
    if (failure.code() != perdure::errc::unsupported) throw;
    add_to(open(0), "added");
  }
}

void rank() {
  const perdure::manager store(perdure::open_read_only, store_path);
  const graph::stored_graph network(store, "network");
  network.view().visit([](const auto& view) {
    const graph::pagerank_result result = graph::pagerank(view);
    const auto best = std::max_element(result.ranks.begin(), result.ranks.end());
    std::cout << "station " << view.id(static_cast<graph::vertex_handle>(best - result.ranks.begin()))
              << '\n';
  });
}

void list() {
  perdure::manager store(perdure::open_read_only, store_path);
  for (const std::string& id : perdure::array_store(store).list()) std::cout << "array " << id << '\n';
  for (const auto& [info, extent] : perdure::inspect::objects_in(store))
    if (!info.name().empty()) std::cout << "object " << info.name() << '\n';
}

void was(const std::string& label) {
  const perdure::manager store(perdure::open_read_only, store_path + ("@" + label));
  std::cout << graph::stored_graph(store, "network").edges() << " links\n";
}

}  // namespace

int main() {
  std::string command;
  std::string word;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  try {
    if (std::cin >> command && command == "build" && std::cin >> word) {
      build(word);
    } else if (command == "add" && std::cin >> from >> to) {
      add(from, to);
    } else if (command == "rank") {
      rank();
    } else if (command == "list") {
      list();
    } else if (command == "was" && std::cin >> word) {
      was(word);
    } else {
      std::cerr << "usage: echo 'build FILE.h5 | add FROM TO | rank | list | was LABEL' | link_network\n";
      return 2;
    }
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
