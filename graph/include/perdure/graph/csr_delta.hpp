// Edges that an adjacency list got since it was frozen, in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <perdure/container/vector.hpp>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/stored_form.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace perdure::graph {

/// Counts that distinguish one state of a growing list from another.
struct list_state {
  std::uint64_t edges = 0;       ///< edges of the list
  std::uint64_t self_loops = 0;  ///< loops of the list
  std::uint64_t vertices = 0;    ///< vertices of the list
  /// Compares all counts.
  bool operator==(const list_state&) const = default;

  /// Returns the state of a list. O(banks).
  template <container_family Family>
  static list_state of(const adjacency_list<Family>& graph) {
    return {graph.edges(), graph.self_loops(), graph.vertices()};
  }
};

/// The edges that a list got since it was frozen. A checkpoint writes them in time proportional to their
/// number, whatever the size of the graph. Together with the CSR and its patch they are the graph in the
/// state `state()`.
///
/// Thread safety: like a standard container. `recording_source` brings its own lock.
template <class Allocator = perdure::allocator<std::byte>>
class csr_delta {
  template <class T>
  using array = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

 public:
  using allocator_type = Allocator;  ///< allocator of the arrays

  /// Makes an empty delta.
  csr_delta()
    requires std::is_default_constructible_v<Allocator>
      : csr_delta(Allocator()) {}
  /// Makes an empty delta in the memory of `allocator`.
  explicit csr_delta(const Allocator& allocator)
      : edges_(allocator), weights_(allocator), declared_(allocator) {}
  csr_delta(const csr_delta&) = delete;
  csr_delta& operator=(const csr_delta&) = delete;

  /// Returns the state that `set_state` recorded last.
  const list_state& state() const noexcept { return state_; }
  /// Records the state of the list that CSR, patch and delta are together.
  void set_state(const list_state& state) noexcept { state_ = state; }
  /// Returns the edges in the order in which they were added.
  std::span<const edge> edges() const noexcept { return {std::to_address(edges_.data()), edges_.size()}; }
  /// Returns the weight of each edge.
  std::span<const double> weights() const noexcept {
    return {std::to_address(weights_.data()), weights_.size()};
  }

  /// Adds edges. Without `weights` each edge weighs `missing`. Throws `std::bad_alloc`. Amortised O(edges).
  void add(std::span<const edge> edges, std::span<const double> weights, double missing) {
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    if (weights.empty()) {
      weights_.resize(edges_.size(), missing);
    } else {
      weights_.insert(weights_.end(), weights.begin(), weights.end());
    }
  }
  /// Adds vertices that need not occur in an edge. Throws `std::bad_alloc`.
  void add(const id_range& declared) {
    if (declared.count != 0) declared_.push_back(declared);
  }
  /// Returns the vertices that were added without edges.
  std::span<const id_range> declared() const noexcept {
    return {std::to_address(declared_.data()), declared_.size()};
  }
  /// Returns whether the delta has neither edges nor declared vertices.
  bool empty() const noexcept { return edges_.empty() && declared_.empty(); }
  /// Drops all edges and declared vertices and releases the memory of the edges. The state is kept.
  void clear() noexcept {
    declared_.clear();
    edges_.clear();
    weights_.clear();
    edges_.shrink_to_fit();
    weights_.shrink_to_fit();
  }

  /// Describes the members, so that the store can record them.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(
        stored_member("state", &csr_delta::state_), stored_member("edges", &csr_delta::edges_),
        stored_member("weights", &csr_delta::weights_), stored_member("declared", &csr_delta::declared_));
  }

 private:
  list_state state_;
  array<edge> edges_;
  array<double> weights_;
  array<id_range> declared_;
};

/// A source that passes on the edges of another source, and adds them to a delta.
///
/// Thread safety: like every `edge_source`; a lock protects the delta.
template <class Delta>
class recording_source final : public edge_source {
 public:
  /// Reads from `source` and adds to `delta`; both must outlive this object. Edges without a weight get
  /// `missing`.
  recording_source(edge_source& source, Delta& delta, double missing)
      : source_(source), delta_(delta), missing_(missing) {}

  /// Draws a batch from the source and adds it to the delta. If adding throws, every later call returns false
  /// and an empty batch.
  bool next(edge_batch& batch) override {
    const bool more = source_.next(batch);
    const std::lock_guard lock(mutex_);
    if (has_failed_) {
      batch.clear();
      return false;
    }
    has_failed_ = true;  // stays so when anything below throws
    if (!batch.edges.empty()) delta_.add(batch.edges, batch.values, missing_);
    for (std::size_t i = 0; i < batch.vertices.size();) {
      id_range run{batch.vertices[i++], 1};
      while (i < batch.vertices.size() && batch.vertices[i] == run.first + run.count) ++i, ++run.count;
      delta_.add(run);
    }
    if (!more && !std::exchange(has_ended_, true)) delta_.add(source_.declared_vertices());
    has_failed_ = false;
    return more;
  }
  /// Returns the answer of the source, like the following members.
  workload::progress progress() const noexcept override { return source_.progress(); }
  /// Returns the vertices that the source declares.
  id_range declared_vertices() const noexcept override { return source_.declared_vertices(); }
  /// Returns the number of lines that the source has skipped.
  std::uint64_t skipped_lines() const noexcept override { return source_.skipped_lines(); }
  unsigned ignored_columns() const noexcept override { return source_.ignored_columns(); }
  std::vector<std::string> left_out() const override { return source_.left_out(); }
  std::vector<vertex_attribute> take_vertex_attributes() override { return source_.take_vertex_attributes(); }

 private:
  edge_source& source_;
  Delta& delta_;
  double missing_;
  std::mutex mutex_;
  bool has_ended_ = false;
  bool has_failed_ = false;
};

}  // namespace perdure::graph
