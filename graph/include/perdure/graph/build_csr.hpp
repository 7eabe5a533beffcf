// Makes a CSR from a stream of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/edge_source.hpp>
#include <span>

namespace perdure::graph {

/// How a CSR numbers its vertices.
enum class vertex_order : std::uint8_t {
  by_id,      ///< in the order of the input's ids
  by_degree,  ///< by falling number of neighbours, so that vertices that are read often lie together
};

/// Options of `build_csr` and of external builds.
struct csr_options {
  /// Direction of the graph. An undirected edge is stored at both ends, a loop once.
  direction kind = direction::directed;
  bool drop_loops = false;  ///< leaves out loops; their vertices are kept
  /// Keeps one edge of several between the same ends: the one with the smallest weight.
  bool drop_duplicates = false;
  bool with_incoming = false;                ///< stores the incoming arcs of a directed graph too
  bool with_weights = false;                 ///< keeps the edges' values as weights of the arcs
  vertex_order order = vertex_order::by_id;  ///< numbering of the vertices
  unsigned threads = 1;                      ///< number of threads
};

namespace detail {

/// Where the neighbours of all vertices are written to.
struct row_arrays {
  std::span<std::uint64_t> offsets;
  std::span<vertex_handle> targets;
  void* weights = nullptr;                                                 ///< null: none
  void (*put)(void* weights, std::size_t place, double weight) = nullptr;  ///< into them
};

/// All of the work, for which it does not matter in what the graph is stored.
class csr_builder {
 public:
  /// Draws all edges and orders them by vertex.
  csr_builder(edge_source& source, const csr_options& options);
  csr_builder(const csr_builder&) = delete;
  csr_builder& operator=(const csr_builder&) = delete;
  ~csr_builder();

  std::size_t vertices() const noexcept;
  std::uint64_t arcs() const noexcept;
  /// Returns whether vertices are called by their numbers: no arrays of ids are needed.
  bool has_ids() const noexcept;
  /// Returns whether `by_id` is needed.
  bool is_permuted() const noexcept;

  void write_ids(std::span<vertex_id> ids) const;
  void write_by_id(std::span<vertex_handle> by_id) const;
  /// Gives the number of loops. Once; it drops what is no longer needed.
  std::uint64_t write_rows(const row_arrays& rows);
  std::uint64_t incoming_arcs();
  void write_incoming(const row_arrays& rows);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace detail

/// Replaces `graph` by the graph of all edges of `source`. The vertices are the ids that occur in an edge or
/// that the source declares. Ids may be any 64-bit numbers. Weights are the edges' values, 0 for edges
/// without one. Neighbour lists are sorted by number, so the result does not depend on the number of threads.
///
/// Takes up to 24 bytes of ordinary memory for each edge meanwhile, 64 bytes with weights.
///
/// Throws what the source throws, `errc::unsupported` for more than 2^32 - 1 vertices, and `std::bad_alloc`.
/// The graph is unchanged after an exception.
template <class Allocator, class Weight>
void build_csr(csr<Allocator, Weight>& graph, edge_source& source, const csr_options& options) {
  detail::csr_builder builder(source, options);
  auto arrays = graph.empty_arrays();
  arrays.kind = options.kind;
  if (builder.vertices() != 0) {
    if (builder.has_ids()) {
      arrays.ids.remake(builder.vertices());
      builder.write_ids(arrays.ids.elements());
    }
    if (builder.is_permuted()) {
      arrays.by_id.remake(builder.vertices());
      builder.write_by_id(arrays.by_id.elements());
    }
    arrays.offsets.remake(builder.vertices() + 1);
    arrays.targets.remake(builder.arcs());
    detail::row_arrays rows{arrays.offsets.elements(), arrays.targets.elements()};
    if (options.with_weights) {
      arrays.weights.remake(builder.arcs());
      rows.weights = arrays.weights.data();
      rows.put = [](void* weights, std::size_t place, double weight) {
        static_cast<Weight*>(weights)[place] = static_cast<Weight>(weight);
      };
    }
    arrays.self_loops = builder.write_rows(rows);
    if (options.kind == direction::directed && options.with_incoming) {
      arrays.in_offsets.remake(builder.vertices() + 1);
      arrays.in_targets.remake(builder.incoming_arcs());
      builder.write_incoming({arrays.in_offsets.elements(), arrays.in_targets.elements()});
    }
  }
  graph.replace(std::move(arrays));
}

}  // namespace perdure::graph
