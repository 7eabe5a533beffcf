// Makes a CSR of a stream of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/edge_source.hpp>
#include <span>
#include <type_traits>

namespace perdure::graph {

enum class vertex_order : std::uint8_t {
  by_id,      ///< as the input's ids
  by_degree,  ///< by falling number of neighbours: what is touched often lies together
};

struct csr_options {
  direction kind = direction::directed;  ///< undirected: each edge is stored with both ends, a loop once
  bool drop_loops = false;               ///< the vertex is there all the same
  bool drop_duplicates = false;          ///< of several edges the one with the smallest weight is kept
  bool with_incoming = false;            ///< of a directed graph, also where arcs come from
  vertex_order order = vertex_order::by_id;
  unsigned threads = 1;
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
  csr_builder(edge_source& source, const csr_options& options, bool with_weights);
  csr_builder(const csr_builder&) = delete;
  csr_builder& operator=(const csr_builder&) = delete;
  ~csr_builder();

  std::size_t vertices() const noexcept;
  std::uint64_t arcs() const noexcept;
  /// Whether vertices are called by their numbers: no arrays of ids are needed.
  bool has_ids() const noexcept;
  /// Whether `by_id` is needed.
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

/// Replaces the graph by that of all edges of a source, drawn and ordered by `options.threads` threads.
/// Vertices are those that occur in an edge; their ids may be any 64-bit numbers. Weights are the edges'
/// values (0 where the source has none). Neighbours are ordered by number, so the result does not depend on
/// the threads.
///
/// Takes up to 24 bytes of ordinary memory for each edge while it works, 64 with weights.
///
/// Throws what the source throws, `errc::unsupported` for more than 2^32 - 1 vertices, and `std::bad_alloc`;
/// the graph is unchanged then.
template <class Allocator, class Weight>
void build_csr(csr<Allocator, Weight>& graph, edge_source& source, const csr_options& options) {
  detail::csr_builder builder(source, options, !std::is_void_v<Weight>);
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
    if constexpr (!std::is_void_v<Weight>) {
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
