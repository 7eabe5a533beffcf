// A graph that does not change, as an object for a store or for ordinary memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/padded_array.hpp>
#include <perdure/stored_form.hpp>
#include <type_traits>
#include <utility>

namespace perdure::graph {

/// Array of `T` in the memory of an allocator, whatever type that allocator is for.
template <class T, class Allocator>
using array_for = padded_array<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

/// Tag for the `Weight` of a `csr`: arcs have weights of type `Weight` and lead to 64-bit vertex numbers
/// (`wide_csr.hpp`).
template <class Weight>
struct wide;

namespace detail {

template <class Weight>
struct arc_types {
  using weight = Weight;
  using target = vertex_handle;
};
template <class Weight>
struct arc_types<wide<Weight>> {
  using weight = Weight;
  using target = std::uint64_t;
};

}  // namespace detail

/// The arrays of a `csr`; `basic_csr_view` describes their content. All are empty at first.
template <class Allocator, class Weight>
struct csr_arrays {
  using weight_type = typename detail::arc_types<Weight>::weight;  ///< type of an arc's weight
  using target_type = typename detail::arc_types<Weight>::target;  ///< type of a vertex number in `targets`

  /// Makes empty arrays in the memory of `allocator`.
  explicit csr_arrays(const Allocator& allocator)
      : offsets(allocator),
        targets(allocator),
        in_offsets(allocator),
        in_targets(allocator),
        ids(allocator),
        by_id(allocator),
        weights(allocator) {}

  /// Exchanges all arrays with those of a graph in the same memory. O(1).
  void swap(csr_arrays& other) noexcept {
    offsets.swap(other.offsets);
    targets.swap(other.targets);
    in_offsets.swap(other.in_offsets);
    in_targets.swap(other.in_targets);
    ids.swap(other.ids);
    by_id.swap(other.by_id);
    weights.swap(other.weights);
    std::swap(self_loops, other.self_loops);
    std::swap(kind, other.kind);
  }
  /// Returns the bytes that all arrays take.
  std::size_t bytes() const noexcept {
    return offsets.bytes() + targets.bytes() + in_offsets.bytes() + in_targets.bytes() + ids.bytes() +
           by_id.bytes() + weights.bytes();
  }
  /// Returns a view of the arrays. It is valid until an array is remade, swapped or destroyed.
  basic_csr_view<weight_type, target_type> view() const noexcept {
    return {offsets.elements(),    targets.elements(),    kind,
            in_offsets.elements(), in_targets.elements(), ids.elements(),
            by_id.elements(),      weights.elements()};
  }

  /// Describes the members, so that the store can record them.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(
        stored_member("offsets", &csr_arrays::offsets), stored_member("targets", &csr_arrays::targets),
        stored_member("in_offsets", &csr_arrays::in_offsets),
        stored_member("in_targets", &csr_arrays::in_targets), stored_member("ids", &csr_arrays::ids),
        stored_member("by_id", &csr_arrays::by_id), stored_member("weights", &csr_arrays::weights),
        stored_member("self_loops", &csr_arrays::self_loops), stored_member("direction", &csr_arrays::kind));
  }

  /// Begin of each vertex's neighbours in `targets`, and the end.
  array_for<std::uint64_t, Allocator> offsets;
  array_for<target_type, Allocator> targets;       ///< neighbours of all vertices
  array_for<std::uint64_t, Allocator> in_offsets;  ///< offsets of incoming arcs; empty: not stored
  array_for<target_type, Allocator> in_targets;    ///< sources of incoming arcs; empty: not stored
  array_for<vertex_id, Allocator> ids;             ///< id of each vertex; empty: ids are the numbers
  array_for<vertex_handle, Allocator> by_id;  ///< vertices in the order of ids; empty: they are numbered so
  array_for<weight_type, Allocator> weights;  ///< weight of each arc; empty: arcs have no weights
  std::uint64_t self_loops = 0;               ///< number of loops
  direction kind = direction::undirected;     ///< direction of the graph
};

/// A graph as compressed sparse rows (CSR): one array with the neighbours of all vertices, sorted by number
/// for each vertex, and one with the place where each list begins. Optional arrays hold the incoming arcs of
/// a directed graph, the ids of the vertices, and the weights of the arcs. `build_csr` fills it, and
/// algorithms take its `view()`.
///
///     auto& web = *store.construct<graph::stored_csr>("web.csr")();
///     graph::build_csr(web, *graph::open_graph_file("web.txt.gz"), {.threads = 8});
///     const graph::bfs_result found = graph::bfs(web.view(), web.view().find(42), 8);
///
/// | memory | bytes | |---|---| | for each vertex | 8 | | for each arc | 4, or 8 with incoming arcs | | for
/// each arc's weight | `sizeof(Weight)` | | for each vertex's id | 8 to 12, or 0 if ids are 0, 1, 2, … |
///
/// With `wide<Weight>` in place of `Weight`, arcs lead to 64-bit numbers of 8 bytes.
///
/// Thread safety: like a standard container.
template <class Allocator = std::allocator<std::byte>, class Weight = double>
class csr {
 public:
  using allocator_type = Allocator;                  ///< allocator of the arrays
  using arrays = csr_arrays<Allocator, Weight>;      ///< the arrays that the graph is made of
  using weight_type = typename arrays::weight_type;  ///< type of an arc's weight
  using target_type = typename arrays::target_type;  ///< type of a vertex number in the arrays
  static_assert(std::is_arithmetic_v<weight_type>, "weights are numbers");

  /// Makes an empty graph.
  csr()
    requires std::is_default_constructible_v<Allocator>
      : csr(Allocator()) {}
  /// Makes an empty graph in the memory of `allocator`.
  explicit csr(const Allocator& allocator) : arrays_(allocator) {}
  csr(const csr&) = delete;
  csr& operator=(const csr&) = delete;

  /// Returns a view for algorithms. It is valid until the graph gets other arrays or is destroyed, or its
  /// store is closed. O(1).
  basic_csr_view<weight_type, target_type> view() const noexcept { return arrays_.view(); }

  /// Returns whether edges have a direction.
  direction kind() const noexcept { return arrays_.kind; }
  /// Returns whether `kind()` is `direction::undirected`.
  bool undirected() const noexcept { return arrays_.kind == direction::undirected; }
  /// Returns the number of vertices. O(1).
  std::uint64_t vertices() const noexcept { return view().size(); }
  /// Returns the number of edges; an undirected edge counts once. O(1).
  std::uint64_t edges() const noexcept { return undirected() ? (arcs() + self_loops()) / 2 : arcs(); }
  /// Returns the number of edges from a vertex to itself. O(1).
  std::uint64_t self_loops() const noexcept { return arrays_.self_loops; }
  /// Returns the number of entries in all neighbour lists: an undirected edge has two, a loop has one. O(1).
  std::uint64_t arcs() const noexcept { return arrays_.targets.size(); }
  /// Returns whether arcs have weights.
  bool has_weights() const noexcept { return arrays_.weights.size() != 0; }
  /// Returns the bytes of memory that the arrays take, without the object itself.
  std::size_t bytes() const noexcept { return arrays_.bytes(); }

  /// Returns empty arrays in the same memory, to be filled and passed to `replace`.
  arrays empty_arrays() const { return arrays(arrays_.offsets.get_allocator()); }
  /// Takes `filled` in place of the graph's arrays; `filled` gets the old ones. Both must be in the same
  /// memory. O(1).
  void replace(arrays&& filled) noexcept { arrays_.swap(filled); }

  /// Describes the object to the store, which records its arrays.
  static auto stored_form() { return perdure::stored_as(&csr::arrays_); }

 private:
  arrays arrays_;
};

/// A CSR in a relocatable store.
using stored_csr = csr<perdure::allocator<std::byte>>;
/// A CSR in ordinary memory.
using memory_csr = csr<>;

}  // namespace perdure::graph
