// A graph as a map from vertices to their neighbours, grown a little by each run.
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/vector.hpp>
#include <boost/unordered_map.hpp>
#include <functional>
#include <iostream>
#include <metall/metall.hpp>
#include <utility>

using vertex = std::uint64_t;
using neighbours = boost::container::vector<vertex, metall::manager::allocator_type<vertex>>;
using graph = boost::unordered_map<vertex, neighbours, std::hash<vertex>, std::equal_to<vertex>,
                                   boost::container::scoped_allocator_adaptor<
                                       metall::manager::allocator_type<std::pair<const vertex, neighbours>>>>;

namespace {
void add_edges(graph& g, vertex from, vertex to) {
  for (vertex v = from; v < to; ++v) {
    g[v].push_back(v / 2);
    g[v / 2].push_back(v);
  }
}
}  // namespace

int main(int, char** argv) {
  const char* const path = argv[1];
  if (!metall::manager::consistent(path)) {
    metall::manager manager(metall::create_only, path, std::size_t{1} << 30);
    graph* const g = manager.construct<graph>("graph")(manager.get_allocator<>());
    add_edges(*g, 1, 100);
    std::cout << "new: " << g->size() << " vertices\n";
    return 0;
  }
  metall::manager manager(metall::open_only, path);
  auto [g, count] = manager.find<graph>("graph");
  if (g == nullptr || count != 1) return 1;
  add_edges(*g, 100, 200);
  std::size_t edges = 0;
  for (const auto& [v, list] : *g) edges += list.size();
  std::cout << "found: " << g->size() << " vertices, " << edges << " edge ends\n";
  return 0;
}
