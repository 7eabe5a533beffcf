// An adjacency list as a CSR, and the edges that were added to the list since.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <perdure/container/vector.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/graph/vertex_index.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

/// What tells one state of a list that only grows from another.
struct list_state {
  std::uint64_t edges = 0;
  std::uint64_t self_loops = 0;
  std::uint64_t vertices = 0;
  bool operator==(const list_state&) const = default;

  /// O(banks).
  template <container_family Family>
  static list_state of(const adjacency_list<Family>& graph) {
    return {graph.edges(), graph.self_loops(), graph.vertices()};
  }
};

/// The edges that a list got since it was frozen: to be written costs what was added, whatever the graph's
/// size. With the CSR, it is the graph as of `state()`.
///
/// Thread safety: as a standard container's; `recording_source` brings its own lock.
template <class Allocator = perdure::allocator<std::byte>>
class csr_delta {
  template <class T>
  using array = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

 public:
  using allocator_type = Allocator;

  csr_delta()
    requires std::is_default_constructible_v<Allocator>
      : csr_delta(Allocator()) {}
  explicit csr_delta(const Allocator& allocator)
      : edges_(allocator), weights_(allocator), declared_(allocator) {}
  csr_delta(const csr_delta&) = delete;
  csr_delta& operator=(const csr_delta&) = delete;

  const list_state& state() const noexcept { return state_; }
  /// Which state of the list CSR and delta are together.
  void set_state(const list_state& state) noexcept { state_ = state; }
  std::span<const edge> edges() const noexcept { return {std::to_address(edges_.data()), edges_.size()}; }
  /// One for each edge.
  std::span<const double> weights() const noexcept {
    return {std::to_address(weights_.data()), weights_.size()};
  }

  /// Adds edges; `weights` may be empty, which stands for `missing`.
  void add(std::span<const edge> edges, std::span<const double> weights, double missing) {
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    if (weights.empty()) {
      weights_.resize(edges_.size(), missing);
    } else {
      weights_.insert(weights_.end(), weights.begin(), weights.end());
    }
  }
  /// Vertices that the list got whether edges name them or not.
  void add(const id_range& declared) {
    if (declared.count != 0) declared_.push_back(declared);
  }
  std::span<const id_range> declared() const noexcept {
    return {std::to_address(declared_.data()), declared_.size()};
  }
  bool empty() const noexcept { return edges_.empty() && declared_.empty(); }
  void clear() noexcept {
    declared_.clear();
    edges_.clear();
    weights_.clear();
    edges_.shrink_to_fit();
    weights_.shrink_to_fit();
  }

 private:
  list_state state_;
  array<edge> edges_;
  array<double> weights_;
  array<id_range> declared_;
};

/// Hands out the edges of a source, and adds them to a delta.
template <class Delta>
class recording_source final : public edge_source {
 public:
  recording_source(edge_source& source, Delta& delta, double missing)
      : source_(source), delta_(delta), missing_(missing) {}

  bool next(edge_batch& batch) override {
    const bool more = source_.next(batch);
    const std::lock_guard lock(mutex_);
    if (!batch.edges.empty()) delta_.add(batch.edges, batch.values, missing_);
    if (!more && !std::exchange(has_ended_, true)) delta_.add(source_.declared_vertices());
    return more;
  }
  workload::progress progress() const noexcept override { return source_.progress(); }
  id_range declared_vertices() const noexcept override { return source_.declared_vertices(); }
  std::uint64_t skipped_lines() const noexcept override { return source_.skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return source_.ignored_columns(); }

 private:
  edge_source& source_;
  Delta& delta_;
  double missing_;
  std::mutex mutex_;
  bool has_ended_ = false;
};

namespace detail {

/// Orders a row by its targets, and its weights (of as many, or none) with them.
void order_row(std::span<vertex_handle> targets, std::span<double> weights);

/// The rows of a graph turned round: from `offsets` and `targets` to others of as many vertices.
void turn_round(std::span<const std::uint64_t> offsets, std::span<const vertex_handle> targets,
                std::span<std::uint64_t> in_offsets, std::span<vertex_handle> in_targets, unsigned threads);

/// Fills arrays row by row: `degree(v)`, then `fill(v, targets, weights)` in any order of `v`, from many
/// threads.
template <class Arrays, class Degree, class Fill>
void fill_rows(Arrays& arrays, std::size_t vertices, bool with_weights, bool with_incoming, unsigned threads,
               Degree&& degree, Fill&& fill) {
  if (vertices == 0) return;
  arrays.offsets.remake(vertices + 1);
  const std::span<std::uint64_t> offsets = arrays.offsets.elements();
  offsets[0] = 0;
  for (std::size_t v = 0; v < vertices; ++v)
    offsets[v + 1] = offsets[v] + degree(static_cast<vertex_handle>(v));
  arrays.targets.remake(offsets[vertices]);
  if (with_weights) arrays.weights.remake(offsets[vertices]);
  std::atomic<std::uint64_t> loops{0};
  workload::parallel_for(threads, vertices, 1024, [&](std::size_t begin, std::size_t end) {
    std::uint64_t loops_here = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t count = offsets[v + 1] - offsets[v];
      const auto targets = arrays.targets.elements().subspan(offsets[v], count);
      const auto weights =
          with_weights ? arrays.weights.elements().subspan(offsets[v], count) : std::span<double>();
      fill(static_cast<vertex_handle>(v), targets, weights);
      order_row(targets, weights);
      loops_here += static_cast<std::uint64_t>(std::count(targets.begin(), targets.end(), v));
    }
    loops.fetch_add(loops_here, std::memory_order_relaxed);
  });
  arrays.self_loops = loops.load(std::memory_order_relaxed);
  if (!with_incoming) return;
  arrays.in_offsets.remake(vertices + 1);
  arrays.in_targets.remake(offsets[vertices]);
  turn_round(offsets, arrays.targets.elements(), arrays.in_offsets.elements(), arrays.in_targets.elements(),
             threads);
}

}  // namespace detail

/// Makes a CSR of an adjacency list by its index: the same vertices, those without edges too, and the same
/// edges. Of a directed graph also where arcs come from. Weights are those of the index. O(arcs log degree).
/// Throws `std::bad_alloc`; the CSR is unchanged then.
template <class Allocator>
void freeze(csr<Allocator>& frozen, const vertex_index& list, vertex_order order, unsigned threads) {
  std::vector<vertex_handle> by_id = list.in_id_order();
  std::vector<vertex_handle> of(by_id);  // by handle of the CSR that of the list
  if (order == vertex_order::by_degree)
    std::stable_sort(of.begin(), of.end(),
                     [&](vertex_handle a, vertex_handle b) { return list.degree(a) > list.degree(b); });
  std::vector<vertex_handle> place(of.size());
  for (std::size_t v = 0; v < of.size(); ++v) place[of[v]] = static_cast<vertex_handle>(v);
  auto arrays = frozen.empty_arrays();
  arrays.kind = list.symmetric() ? direction::undirected : direction::directed;
  detail::fill_rows(
      arrays, of.size(), list.has_weights(), !list.symmetric(), threads,
      [&](vertex_handle v) { return list.degree(of[v]); },
      [&](vertex_handle v, std::span<vertex_handle> targets, std::span<double> weights) {
        std::size_t i = 0;
        for (const vertex_handle to : list.neighbours(of[v])) targets[i++] = place[to];
        if (!weights.empty()) std::ranges::copy(list.weights(of[v]), weights.begin());
      });
  arrays.ids.remake(of.size());
  bool are_numbers = order == vertex_order::by_id;
  for (std::size_t v = 0; v < of.size(); ++v) {
    arrays.ids.elements()[v] = list.id(of[v]);
    are_numbers = are_numbers && list.id(of[v]) == v;
  }
  if (are_numbers) arrays.ids.remake(0);
  if (order == vertex_order::by_degree) {
    arrays.by_id.remake(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) arrays.by_id.elements()[i] = place[by_id[i]];
  }
  frozen.replace(std::move(arrays));
}

/// Makes a CSR of one and of the edges of a delta, in whose own memory or in other. Vertices that are new
/// come last. O(vertices + arcs), most of which is copying. Throws as `freeze`.
template <class Allocator, class Delta>
void merge_delta(csr<Allocator>& merged, const csr_view& base, const Delta& delta, unsigned threads) {
  std::vector<vertex_id> added;
  for (const edge& e : delta.edges())
    for (const vertex_id id : {e.source, e.target})
      if (base.find(id) == no_vertex) added.push_back(id);
  for (const id_range& range : delta.declared())
    for (std::uint64_t i = 0; i < range.count; ++i)
      if (base.find(range.first + i) == no_vertex) added.push_back(range.first + i);
  std::sort(added.begin(), added.end());
  added.erase(std::unique(added.begin(), added.end()), added.end());
  const std::size_t before = base.size();
  const std::size_t vertices = before + added.size();
  if (vertices > most_vertices) throw error(errc::unsupported, "the graph has more than 2^32 - 1 vertices");
  const auto handle_of = [&](vertex_id id) {
    const vertex_handle found = base.find(id);
    if (found != no_vertex) return found;
    return static_cast<vertex_handle>(
        before + static_cast<std::size_t>(std::lower_bound(added.begin(), added.end(), id) - added.begin()));
  };
  struct arc {
    vertex_handle from;
    vertex_handle to;
    double weight;
  };
  std::vector<arc> arcs;
  arcs.reserve(delta.edges().size() * (base.symmetric() ? 2 : 1));
  for (std::size_t i = 0; i < delta.edges().size(); ++i) {
    const edge& e = delta.edges()[i];
    const arc one{handle_of(e.source), handle_of(e.target), delta.weights()[i]};
    arcs.push_back(one);
    if (base.symmetric() && one.from != one.to) arcs.push_back({one.to, one.from, one.weight});
  }
  std::stable_sort(arcs.begin(), arcs.end(), [](const arc& a, const arc& b) { return a.from < b.from; });
  std::vector<std::uint64_t> first(vertices + 1);
  for (const arc& one : arcs) ++first[one.from + std::size_t{1}];
  std::partial_sum(first.begin(), first.end(), first.begin());

  auto arrays = merged.empty_arrays();
  arrays.kind = base.kind;
  detail::fill_rows(
      arrays, vertices, base.has_weights(), !base.symmetric() && base.has_incoming(), threads,
      [&](vertex_handle v) {
        return (v < before ? base.degree(v) : 0) + first[v + std::size_t{1}] - first[v];
      },
      [&](vertex_handle v, std::span<vertex_handle> targets, std::span<double> weights) {
        std::size_t at = 0;
        if (v < before) {
          at = base.degree(v);
          std::ranges::copy(base.neighbours(v), targets.begin());
          if (!weights.empty()) std::ranges::copy(base.weights(v), weights.begin());
        }
        for (std::uint64_t i = first[v]; i < first[v + std::size_t{1}]; ++i, ++at) {
          targets[at] = arcs[i].to;
          if (!weights.empty()) weights[at] = arcs[i].weight;
        }
      });
  const bool are_numbers = base.ids.empty() && (added.empty() || added.back() + 1 == vertices);
  if (!are_numbers && vertices != 0) {
    arrays.ids.remake(vertices);
    for (std::size_t v = 0; v < before; ++v)
      arrays.ids.elements()[v] = base.id(static_cast<vertex_handle>(v));
    std::copy(added.begin(), added.end(),
              arrays.ids.elements().begin() + static_cast<std::ptrdiff_t>(before));
    const std::vector<vertex_handle> old_order = base.in_id_order();
    std::vector<vertex_handle> new_order(added.size());
    std::iota(new_order.begin(), new_order.end(), static_cast<vertex_handle>(before));
    const auto ids = arrays.ids.elements();
    arrays.by_id.remake(vertices);
    std::merge(old_order.begin(), old_order.end(), new_order.begin(), new_order.end(),
               arrays.by_id.elements().begin(),
               [&](vertex_handle a, vertex_handle b) { return ids[a] < ids[b]; });
    if (std::is_sorted(ids.begin(), ids.end())) arrays.by_id.remake(0);
  }
  merged.replace(std::move(arrays));
}

}  // namespace perdure::graph
