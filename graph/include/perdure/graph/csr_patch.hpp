// Vertices and arcs that were added to a graph since its CSR was made, as neighbour lists: an object for a
// store or for ordinary memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/detail/delta_rows.hpp>
#include <perdure/graph/vertex_hash.hpp>
#include <perdure/stored_form.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace perdure::graph {

/// Additions to a CSR, which itself stays unchanged: a list of added arcs for each vertex that got some, and
/// the ids of new vertices. The numbers of new vertices follow those of the CSR. `patched_csr` is a view of
/// the CSR and its patch as one graph.
///
/// Each list is a small array, found by a hash table. So `add` takes time in proportion to the delta
/// (amortised), whatever the size of the graph, of the patch, and of the lists. A list takes about 40 bytes,
/// and each arc 4 to 8 bytes (12 to 24 with a weight). The other arcs of the vertex are not copied. A
/// directed graph has lists at both ends.
///
/// Thread safety: like a standard container.
template <class Allocator = perdure::allocator<std::byte>>
class csr_patch {
  template <class T>
  using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  template <class T>
  using array = perdure::vector<T, rebound<T>>;
  template <class Key, class Mapped>
  using table =
      perdure::flat_map<Key, Mapped, vertex_hash, perdure::equal_to, rebound<std::pair<const Key, Mapped>>>;

 public:
  using allocator_type = Allocator;                                ///< allocator of all parts
  using target_rows = table<vertex_handle, array<vertex_handle>>;  ///< added neighbours by vertex
  using weight_rows = table<vertex_handle, array<double>>;         ///< weights of added arcs by vertex
  using id_array = array<vertex_id>;                               ///< ids of new vertices, by number
  using id_table = table<vertex_id, vertex_handle>;                ///< numbers of new vertices, by id

  /// Makes the patch of an empty CSR.
  csr_patch()
    requires std::is_default_constructible_v<Allocator>
      : csr_patch(Allocator()) {}
  /// Makes the patch of an empty CSR in the memory of `allocator`.
  explicit csr_patch(const Allocator& allocator)
      : added_(allocator), handles_(allocator), out_(allocator), weights_(allocator), in_(allocator) {}
  csr_patch(const csr_patch&) = delete;
  csr_patch& operator=(const csr_patch&) = delete;

  /// Drops everything, releases its memory, and becomes an empty patch of `base`. O(lists).
  void begin(const csr_view& base) noexcept {
    added_.clear();
    added_.shrink_to_fit();
    drop(handles_);
    drop(out_);
    drop(weights_);
    drop(in_);
    arcs_ = 0;
    base_vertices_ = base.size();
    base_arcs_ = base.arcs();
  }
  /// Returns whether this can be a patch of `base`: `base` has as many vertices and arcs as the CSR that the
  /// patch was begun with.
  bool fits(const csr_view& base) const noexcept {
    return base.size() == base_vertices_ && base.arcs() == base_arcs_;
  }
  /// Returns whether nothing was added.
  bool empty() const noexcept { return arcs_ == 0 && added_.empty(); }
  /// Returns the number of added arcs: an undirected edge has two, a loop has one.
  std::uint64_t arcs() const noexcept { return arcs_; }
  /// Returns the ids of the new vertices, by number. The first has the number `base.size()`.
  std::span<const vertex_id> added() const noexcept { return {added_.data(), added_.size()}; }
  /// Returns the number of the new vertex with this id, or `no_vertex`. O(1).
  vertex_handle find(vertex_id id) const {
    const auto found = handles_.find(id);
    return found == handles_.end() ? no_vertex : found->second;
  }

  /// Adds the edges and vertices of a delta to the CSR and this patch. The order of the edges alone
  /// determines the lists. O(edges (log edges + log vertices)), amortised; 50 bytes of ordinary memory for
  /// each arc meanwhile. Throws `std::bad_alloc`, and `errc::unsupported` beyond 2^32 - 1 vertices; the patch
  /// is then unchanged.
  template <class Delta>
  void add(const csr_view& base, const Delta& delta) {
    const detail::delta_rows rows = detail::rows_of(
        base, base.size() + added_.size(), [this](vertex_id id) { return find(id); }, delta.edges(),
        delta.weights(), delta.declared());
    const std::size_t added_before = added_.size();
    int done = 0;
    try {
      append(out_, rows.out, std::span<const vertex_handle>(rows.out.targets));
      done = 1;
      append(weights_, rows.out, std::span<const double>(rows.out.weights));
      done = 2;
      append(in_, rows.in, std::span<const vertex_handle>(rows.in.targets));
      done = 3;
      added_.insert(added_.end(), rows.added.begin(), rows.added.end());
      for (std::size_t i = added_before; i < added_.size(); ++i)
        handles_.try_emplace(added_[i], static_cast<vertex_handle>(base.size() + i));
    } catch (...) {
      for (std::size_t i = added_before; i < added_.size(); ++i) handles_.erase(added_[i]);
      added_.resize(added_before);
      if (done >= 3) take_back(in_, rows.in, rows.in.vertices.size());
      if (done >= 2 && !rows.out.weights.empty()) take_back(weights_, rows.out, rows.out.vertices.size());
      if (done >= 1) take_back(out_, rows.out, rows.out.vertices.size());
      throw;
    }
    arcs_ += rows.out.targets.size();
  }

  /// Calls `visit(v, targets, weights)` for each vertex that got arcs, in no particular order. `weights` is
  /// empty where arcs have none.
  template <class Visit>
  void each_row(Visit&& visit) const {
    for (const auto& [v, targets] : out_) {
      std::span<const double> weights;
      if (!weights_.empty()) weights = span_of(weights_.find(v)->second);
      visit(v, span_of(targets), weights);
    }
  }
  /// Calls `visit(v, sources)` for each vertex of a directed graph that got incoming arcs, in no particular
  /// order.
  template <class Visit>
  void each_incoming_row(Visit&& visit) const {
    for (const auto& [v, sources] : in_) visit(v, span_of(sources));
  }
  /// Returns the number of vertices that got arcs.
  std::size_t rows() const noexcept { return out_.size(); }
  /// Returns the number of vertices that got incoming arcs; 0 in undirected graphs.
  std::size_t incoming_rows() const noexcept { return in_.size(); }

  /// Describes the members, so that the store can record them.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(
        stored_member("of_vertices", &csr_patch::base_vertices_),
        stored_member("of_arcs", &csr_patch::base_arcs_), stored_member("arcs", &csr_patch::arcs_),
        stored_member("added", &csr_patch::added_), stored_member("handles", &csr_patch::handles_),
        stored_member("rows", &csr_patch::out_), stored_member("weights", &csr_patch::weights_),
        stored_member("incoming", &csr_patch::in_));
  }

 private:
  template <class T>
  static std::span<const T> span_of(const array<T>& values) noexcept {
    return {values.data(), values.size()};
  }
  template <class Table>
  static void drop(Table& one) noexcept {
    one.clear();
    one.rehash(0);
  }

  /// `values` may be empty, where the rows have none of this kind. All or nothing.
  template <class Rows, class T>
  static void append(Rows& to, const detail::row_group& rows, std::span<const T> values) {
    if (values.empty()) return;
    std::size_t i = 0;
    try {
      for (; i < rows.vertices.size(); ++i) {
        auto& row = to.try_emplace(rows.vertices[i]).first->second;
        row.insert(row.end(), values.begin() + static_cast<std::ptrdiff_t>(rows.begin_of(i)),
                   values.begin() + static_cast<std::ptrdiff_t>(rows.ends[i]));
      }
    } catch (...) {
      if (const auto last = to.find(rows.vertices[i]); last != to.end() && last->second.empty())
        to.erase(last);
      take_back(to, rows, i);
      throw;
    }
  }
  /// Returns the last addition to each of the first `count` rows.
  template <class Rows>
  static void take_back(Rows& from, const detail::row_group& rows, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = from.find(rows.vertices[i]);
      found->second.resize(found->second.size() - (rows.ends[i] - rows.begin_of(i)));
      if (found->second.empty()) from.erase(found);
    }
  }

  std::uint64_t base_vertices_ = 0;
  std::uint64_t base_arcs_ = 0;
  std::uint64_t arcs_ = 0;
  id_array added_;
  id_table handles_;
  target_rows out_;
  weight_rows weights_;
  target_rows in_;
};

}  // namespace perdure::graph
