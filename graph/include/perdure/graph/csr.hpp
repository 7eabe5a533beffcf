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

template <class T, class Allocator>
using array_for = padded_array<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

/// In the place of a CSR's type of weights: arcs have such weights, and lead to 64-bit numbers
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

/// The arrays that a `csr` is made of; `csr_view` says what is in them. Empty at first.
template <class Allocator, class Weight>
struct csr_arrays {
  using weight_type = typename detail::arc_types<Weight>::weight;
  using target_type = typename detail::arc_types<Weight>::target;

  explicit csr_arrays(const Allocator& allocator)
      : offsets(allocator),
        targets(allocator),
        in_offsets(allocator),
        in_targets(allocator),
        ids(allocator),
        by_id(allocator),
        weights(allocator) {}

  /// With the arrays of a graph in the same memory.
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
  std::size_t bytes() const noexcept {
    return offsets.bytes() + targets.bytes() + in_offsets.bytes() + in_targets.bytes() + ids.bytes() +
           by_id.bytes() + weights.bytes();
  }
  basic_csr_view<weight_type, target_type> view() const noexcept {
    return {offsets.elements(),    targets.elements(),    kind,
            in_offsets.elements(), in_targets.elements(), ids.elements(),
            by_id.elements(),      weights.elements()};
  }

  /// Says which members a store records.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(
        stored_member("offsets", &csr_arrays::offsets), stored_member("targets", &csr_arrays::targets),
        stored_member("in_offsets", &csr_arrays::in_offsets),
        stored_member("in_targets", &csr_arrays::in_targets), stored_member("ids", &csr_arrays::ids),
        stored_member("by_id", &csr_arrays::by_id), stored_member("weights", &csr_arrays::weights),
        stored_member("self_loops", &csr_arrays::self_loops), stored_member("direction", &csr_arrays::kind));
  }

  array_for<std::uint64_t, Allocator> offsets;
  array_for<target_type, Allocator> targets;
  array_for<std::uint64_t, Allocator> in_offsets;
  array_for<target_type, Allocator> in_targets;
  array_for<vertex_id, Allocator> ids;
  array_for<vertex_handle, Allocator> by_id;
  array_for<weight_type, Allocator> weights;
  std::uint64_t self_loops = 0;
  direction kind = direction::undirected;
};

/// Compressed sparse rows: one array with the neighbours of all vertices, ordered by number for each of them,
/// and one with where they begin; of a directed graph also the same for arcs turned round, if that was asked
/// for; what the input calls the vertices; and the arcs' weights, if they were asked for. `build_csr` fills
/// it; `view()` is what algorithms take.
///
///     auto& web = *store.construct<graph::stored_csr>("web.csr")();
///     graph::build_csr(web, *graph::open_graph_file("web.txt.gz"), {.threads = 8});
///     const graph::bfs_result found = graph::bfs(web.view(), web.view().find(42), 8);
///
/// It takes 8 bytes for each vertex, 4 for each arc (8 where arcs are known from both ends), 8 for each arc's
/// weight (or `sizeof(Weight)`), and 8 to 12 for each vertex's id unless ids are 0, 1, 2, … . With
/// `wide<Weight>` in the place of `Weight` arcs lead to 64-bit numbers, of 8 bytes.
///
/// Thread safety: as a standard container's.
template <class Allocator = std::allocator<std::byte>, class Weight = double>
class csr {
 public:
  using allocator_type = Allocator;
  using arrays = csr_arrays<Allocator, Weight>;
  using weight_type = typename arrays::weight_type;
  using target_type = typename arrays::target_type;
  static_assert(std::is_arithmetic_v<weight_type>, "weights are numbers");

  /// An empty graph.
  csr()
    requires std::is_default_constructible_v<Allocator>
      : csr(Allocator()) {}
  explicit csr(const Allocator& allocator) : arrays_(allocator) {}
  csr(const csr&) = delete;
  csr& operator=(const csr&) = delete;

  /// Valid until the graph is given other arrays or destroyed, or its store is closed.
  basic_csr_view<weight_type, target_type> view() const noexcept { return arrays_.view(); }

  direction kind() const noexcept { return arrays_.kind; }
  bool undirected() const noexcept { return arrays_.kind == direction::undirected; }
  std::uint64_t vertices() const noexcept { return view().size(); }
  /// Each undirected edge counted once.
  std::uint64_t edges() const noexcept { return undirected() ? (arcs() + self_loops()) / 2 : arcs(); }
  std::uint64_t self_loops() const noexcept { return arrays_.self_loops; }
  std::uint64_t arcs() const noexcept { return arrays_.targets.size(); }
  bool has_weights() const noexcept { return arrays_.weights.size() != 0; }
  /// Bytes of memory, without the object itself.
  std::size_t bytes() const noexcept { return arrays_.bytes(); }

  /// Arrays to be filled, in the same memory.
  arrays empty_arrays() const { return arrays(arrays_.offsets.get_allocator()); }
  /// Takes other arrays in the place of those it has.
  void replace(arrays&& filled) noexcept { arrays_.swap(filled); }

  /// Says that a store records its arrays.
  static auto stored_form() { return perdure::stored_as(&csr::arrays_); }

 private:
  arrays arrays_;
};

/// A graph in a relocatable store, and in ordinary memory on the heap.
using stored_csr = csr<perdure::allocator<std::byte>>;
using memory_csr = csr<>;

}  // namespace perdure::graph
