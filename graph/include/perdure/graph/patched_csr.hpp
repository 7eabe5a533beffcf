// A CSR and what was added to it, as one graph.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/graph/csr_delta.hpp>
#include <perdure/graph/csr_patch.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/detail/delta_rows.hpp>
#include <perdure/graph/detail/joined_row.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

namespace detail {

/// The neighbours that were added to a row of the CSR.
struct added_row {
  const vertex_handle* targets = nullptr;
  const double* weights = nullptr;
  std::size_t size = 0;
};

/// The added rows of some vertices, found by a set of bits: of most vertices nothing else is read.
struct added_rows {
  struct word {
    std::uint64_t bits = 0;    // of 64 vertices those that have a row here
    std::uint64_t before = 0;  // rows of all vertices below
  };

  /// Null: the vertex has none.
  const added_row* find(vertex_handle v) const noexcept {
    const word& one = words[v / 64];
    const std::uint64_t bit = std::uint64_t{1} << (v % 64);
    if ((one.bits & bit) == 0) [[likely]]
      return nullptr;
    return rows + one.before + std::popcount(one.bits & (bit - 1));
  }

  const word* words = nullptr;
  const added_row* rows = nullptr;
};

struct vertex_row {
  vertex_handle vertex;
  added_row row;
};

/// `added_rows` and the memory for it.
class row_table {
 public:
  /// `stored` stay where they are; `more` goes behind what they have, as a copy. All vertices from
  /// `first_new` on have a row.
  row_table(std::span<const vertex_row> stored, const row_group& more, std::size_t first_new,
            std::size_t vertices);
  added_rows view() const noexcept { return {words_.data(), rows_.data()}; }

 private:
  added_row& at(vertex_handle v) noexcept { return const_cast<added_row&>(*view().find(v)); }

  std::vector<added_rows::word> words_;
  std::vector<added_row> rows_;
  std::vector<vertex_handle> targets_;
  std::vector<double> weights_;
};

}  // namespace detail

/// A graph view of a CSR and what was added to it. `patched_csr` makes it and must outlive it. The neighbours
/// of a vertex are those of the CSR, followed by the added ones, so no list is copied. Vertex numbers must be
/// below `size()`.
///
/// Thread safety: const members from any thread.
class patched_csr_view {
 public:
  /// Returns the number of vertices, old and new.
  std::size_t size() const noexcept { return base_.size() + added_.size(); }
  /// Returns the number of arcs: an undirected edge has two, a loop has one.
  std::uint64_t arcs() const noexcept { return arcs_; }
  /// Returns whether the graph is undirected.
  bool symmetric() const noexcept { return base_.symmetric(); }

  /// Returns the number of neighbours of a vertex; parallel edges count separately. O(1).
  std::uint64_t degree(vertex_handle v) const noexcept {
    const detail::added_row* const more = out_.find(v);
    if (more == nullptr) [[likely]]
      return base_.degree(v);
    return (is_old(v) ? base_.degree(v) : 0) + more->size;
  }
  /// Returns the neighbours of a vertex as a range. O(1).
  detail::joined_row<vertex_handle> neighbours(vertex_handle v) const noexcept {
    const detail::added_row* const more = out_.find(v);
    if (more == nullptr) [[likely]]
      return detail::joined_row<vertex_handle>(base_.neighbours(v));
    return {is_old(v) ? base_.neighbours(v) : std::span<const vertex_handle>(), {more->targets, more->size}};
  }

  /// Returns whether arcs have weights.
  bool has_weights() const noexcept { return base_.has_weights(); }
  /// Returns the weights of a vertex's arcs as a range, in the order of `neighbours(v)`; empty if arcs have
  /// none. O(1).
  detail::joined_row<double> weights(vertex_handle v) const noexcept {
    if (!has_weights()) return {};
    const detail::added_row* const more = out_.find(v);
    if (more == nullptr) [[likely]]
      return detail::joined_row<double>(base_.weights(v));
    return {is_old(v) ? base_.weights(v) : std::span<const double>(), {more->weights, more->size}};
  }

  /// Returns whether `incoming` and `in_degree` may be called.
  bool has_incoming() const noexcept { return symmetric() || has_incoming_; }
  /// Returns the number of incoming arcs of a vertex. Needs `has_incoming()`. O(1).
  std::uint64_t in_degree(vertex_handle v) const noexcept {
    if (symmetric()) return degree(v);
    const detail::added_row* const more = in_.find(v);
    if (more == nullptr) [[likely]]
      return base_.in_degree(v);
    return (is_old(v) ? base_.in_degree(v) : 0) + more->size;
  }
  /// Returns the vertices that have `v` as a neighbour, as a range. Needs `has_incoming()`. O(1).
  detail::joined_row<vertex_handle> incoming(vertex_handle v) const noexcept {
    if (symmetric()) return neighbours(v);
    const detail::added_row* const more = in_.find(v);
    if (more == nullptr) [[likely]]
      return detail::joined_row<vertex_handle>(base_.incoming(v));
    return {is_old(v) ? base_.incoming(v) : std::span<const vertex_handle>(), {more->targets, more->size}};
  }

  /// Returns the id of a vertex in the input. O(1).
  vertex_id id(vertex_handle v) const noexcept { return is_old(v) ? base_.id(v) : added_[v - base_.size()]; }
  /// Returns the vertex with this id, or `no_vertex`. Takes the time of `csr_view::find`, and O(log added
  /// vertices).
  vertex_handle find(vertex_id wanted) const {
    const vertex_handle found = base_.find(wanted);
    return found == no_vertex && !added_.empty() ? (*find_added_)(wanted) : found;
  }
  /// Returns all vertices in the order of their ids. O(vertices + added vertices log added vertices).
  std::vector<vertex_handle> in_id_order() const;
  /// Returns whether the id of every vertex is its number. O(added vertices).
  bool ids_are_numbers() const noexcept;

 private:
  friend class patched_csr;

  bool is_old(vertex_handle v) const noexcept { return v < base_.size(); }

  csr_view base_;
  detail::added_rows out_;
  detail::added_rows in_;
  std::span<const vertex_id> added_;
  const std::function<vertex_handle(vertex_id)>* find_added_ = nullptr;
  std::uint64_t arcs_ = 0;
  bool has_incoming_ = false;
};

/// Owner of a `patched_csr_view`. The CSR, the patch and the delta must outlive it and stay unchanged
/// meanwhile.
///
/// Each constructor takes O(lists with additions + edges of the delta × log edges + vertices / 64), and this
/// ordinary memory:
/// - 2 bits for each vertex, 4 in directed graphs;
/// - 24 bytes for each list with additions;
/// - a copy of the additions of lists that the delta adds to.
///
/// It throws `std::bad_alloc`, `errc::invalid_argument` if the patch belongs to another CSR, and
/// `errc::unsupported` beyond 2^32 - 1 vertices.
///
/// Thread safety: const members from any thread.
class patched_csr {
 public:
  /// Combines a CSR with its patch.
  template <class Allocator>
  patched_csr(const csr_view& base, const csr_patch<Allocator>& patch) {
    take(base, patch);
    join(base, {});
  }
  /// Combines a CSR with the edges of a delta.
  template <class Allocator>
  patched_csr(const csr_view& base, const csr_delta<Allocator>& delta) {
    join(base, detail::rows_of(base, base.size(), {}, delta.edges(), delta.weights(), delta.declared()));
  }
  /// Combines a CSR with its patch and the edges of a delta that came after it.
  template <class Allocator, class DeltaAllocator>
  patched_csr(const csr_view& base, const csr_patch<Allocator>& patch,
              const csr_delta<DeltaAllocator>& delta) {
    take(base, patch);
    join(base, detail::rows_of(base, base.size() + stored_ids_.size(), find_stored_, delta.edges(),
                               delta.weights(), delta.declared()));
  }
  patched_csr(const patched_csr&) = delete;
  patched_csr& operator=(const patched_csr&) = delete;

  /// Returns the view, which is valid as long as this object.
  const patched_csr_view& view() const noexcept { return view_; }

 private:
  template <class Allocator>
  void take(const csr_view& base, const csr_patch<Allocator>& patch) {
    if (!patch.fits(base)) throw_other_base();
    stored_out_.reserve(patch.rows());
    patch.each_row(
        [&](vertex_handle v, std::span<const vertex_handle> targets, std::span<const double> weights) {
          stored_out_.push_back({v, {targets.data(), weights.data(), targets.size()}});
        });
    stored_in_.reserve(patch.incoming_rows());
    patch.each_incoming_row([&](vertex_handle v, std::span<const vertex_handle> sources) {
      stored_in_.push_back({v, {sources.data(), nullptr, sources.size()}});
    });
    stored_ids_ = patch.added();
    find_stored_ = [&patch](vertex_id id) { return patch.find(id); };
    view_.arcs_ = patch.arcs();
  }
  [[noreturn]] static void throw_other_base();
  /// Makes the view of what was taken and of what the delta brings.
  void join(const csr_view& base, detail::delta_rows more);

  std::vector<detail::vertex_row> stored_out_;
  std::vector<detail::vertex_row> stored_in_;
  std::span<const vertex_id> stored_ids_;
  std::function<vertex_handle(vertex_id)> find_stored_;
  std::vector<vertex_id> new_ids_;  // of the delta, ascending
  std::vector<vertex_id> ids_;      // stored and new ones, where there are new ones
  std::function<vertex_handle(vertex_id)> find_added_;
  std::vector<detail::row_table> tables_;
  patched_csr_view view_;
};

}  // namespace perdure::graph
