// What is no graph for a kernel: compiling this must fail at the lines that say so, with the message quoted
// there, and at no others.
#include <perdure/graph/bfs.hpp>
#include <perdure/graph/connected_components.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/store_containers.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <vector>

namespace {

using namespace perdure::graph;

struct without_neighbours {
  std::size_t size() const;
  std::uint64_t arcs() const;
  bool symmetric() const;
  std::uint64_t degree(vertex_handle) const;
};
struct with_names : without_neighbours {
  std::vector<const char*> neighbours(vertex_handle) const;
};
struct complete : without_neighbours {
  std::vector<vertex_handle> neighbours(vertex_handle) const;
};

}  // namespace

// clang-format off
void refused(const std::vector<int>& numbers, const memory_csr& csr, const adjacency_list<store_containers>& list,
             const without_neighbours& isolated, const with_names& named, const complete& graph,
             const vertex_index& index) {
  bfs(5, 0);  // refused: this is no graph view: it needs size(), the number of vertices
  bfs(csr, 0);  // refused: this is no graph view: it needs size(), the number of vertices (of a csr or an adjacency_list pass csr.view()
  bfs(list, 0);  // refused: this is no graph view: it needs size(), the number of vertices (of a csr or an adjacency_list pass csr.view()
  connected_components(numbers);  // refused: this is no graph view: it needs arcs(), the number of entries
  connected_components(isolated);  // refused: this is no graph view: it needs neighbours(vertex_handle), a range of vertex handles
  connected_components(named);  // refused: this is no graph view: its neighbours(vertex_handle) must be a forward range
  bfs(graph, 0);
  bfs(csr.view(), 0);
  bfs(index, 0);
}
