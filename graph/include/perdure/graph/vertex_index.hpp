// A graph view of an adjacency list: vertices numbered 0, 1, 2, …
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <perdure/graph/adjacency_list.hpp>
#include <perdure/graph/edge_column.hpp>
#include <perdure/graph/graph_view.hpp>
#include <perdure/graph/id_lookup.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <vector>

namespace perdure::graph {

/// Numbers the vertices of an adjacency list bank by bank, and finds a vertex's number by its id. Neighbour
/// lists are not copied: the graph must stay unchanged and open while the index is in use. Each step along a
/// list is a look-up, so algorithms that scan the whole graph several times are faster on a CSR. Vertex
/// numbers must be below `size()`.
///
/// Thread safety: const members from any thread.
class vertex_index {
 public:
  /// Indexes a graph with `threads` threads. `weights` is a column of the graph, or null. Edges that were
  /// added to the list alone weigh `weights->missing()`. O(vertices). Throws `errc::unsupported` beyond 2^32
  /// - 1 vertices, and `std::bad_alloc`.
  template <container_family Family>
  explicit vertex_index(const adjacency_list<Family>& graph, unsigned threads = 1,
                        const edge_column<Family>* weights = nullptr)
      : symmetric_(graph.undirected()), arcs_(graph.arcs()) {
    if (weights != nullptr) weights_.resize(graph.vertices());
    std::vector<std::size_t> first(bank_count + 1);  // handle of each bank's first vertex
    for (std::size_t i = 0; i < bank_count; ++i) first[i + 1] = first[i] + graph.bank(i).size();
    resize(first.back());
    std::mutex completing;
    const auto of_all_edges = [&](std::span<const double> numbers,
                                  std::size_t edges) -> std::span<const double> {
      if (numbers.size() >= edges) return numbers.first(edges);
      const std::lock_guard lock(completing);
      std::vector<double>& whole = completed_.emplace_back(numbers.begin(), numbers.end());
      whole.resize(edges, weights->missing());
      return whole;
    };
    workload::parallel_for(threads, bank_count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t h = first[i];
        for (const auto& [id, neighbours] : graph.bank(i)) {
          ids_[h] = id;
          neighbours_[h] = as_span(neighbours);
          if (weights != nullptr) weights_[h] = of_all_edges(weights->find(id), neighbours.size());
          ++h;
        }
      }
    });
    lookup_.emplace(ids_, threads);
  }

  /// Takes over the index. Ranges of the moved index are invalid.
  vertex_index(vertex_index&&) = default;
  /// Takes over the index. Ranges of both indexes are invalid.
  vertex_index& operator=(vertex_index&&) = default;

  /// Range of the neighbours of a vertex, as vertex numbers.
  class handles;

  /// Returns the number of vertices.
  std::size_t size() const noexcept { return ids_.size(); }
  /// Returns the number of arcs: an undirected edge has two, a loop has one.
  std::uint64_t arcs() const noexcept { return arcs_; }
  /// Returns whether the graph is undirected.
  bool symmetric() const noexcept { return symmetric_; }
  /// Returns the number of neighbours of a vertex; parallel edges count separately. O(1).
  std::uint64_t degree(vertex_handle h) const noexcept { return neighbours_[h].size(); }
  /// Returns the neighbours of a vertex. O(1), and O(1) for each step along them.
  handles neighbours(vertex_handle h) const noexcept;

  /// Returns whether arcs have weights.
  bool has_weights() const noexcept { return !weights_.empty(); }
  /// Returns the weights of a vertex's arcs, in the order of `neighbours(h)`; empty if arcs have none. O(1).
  std::span<const double> weights(vertex_handle h) const noexcept {
    return weights_.empty() ? std::span<const double>() : weights_[h];
  }

  /// Returns the id of a vertex in the input. O(1).
  vertex_id id(vertex_handle h) const noexcept { return ids_[h]; }
  /// Returns the ids of a vertex's neighbours, as the graph has them. O(1).
  std::span<const vertex_id> neighbour_ids(vertex_handle h) const noexcept { return neighbours_[h]; }

  /// Returns the number of the vertex with this id, or `no_vertex`. O(1).
  vertex_handle find(vertex_id v) const noexcept { return lookup_->find(v); }

  /// Returns all vertices in the order of their ids. O(vertices log vertices).
  std::vector<vertex_handle> in_id_order() const;

 private:
  void resize(std::size_t vertices);

  bool symmetric_;
  std::uint64_t arcs_;
  std::vector<vertex_id> ids_;
  std::vector<std::span<const vertex_id>> neighbours_;
  std::vector<std::span<const double>> weights_;
  std::deque<std::vector<double>> completed_;  // weights of vertices whose column was behind their list
  std::optional<id_lookup> lookup_;
};

/// Range of the neighbours of a vertex, as vertex numbers. It is valid as long as the index and the graph.
class vertex_index::handles {
 public:
  /// Forward iterator, whose elements are values.
  class iterator {
   public:
    /// @cond
    using value_type = vertex_handle;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;  // its reference is none
    using iterator_concept = std::forward_iterator_tag;

    iterator() = default;
    iterator(const vertex_id* at, const id_lookup* lookup) noexcept : at_(at), lookup_(lookup) {}
    vertex_handle operator*() const noexcept { return lookup_->find(*at_); }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept { return {at_++, lookup_}; }
    bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }

    /// @endcond
   private:
    const vertex_id* at_ = nullptr;
    const id_lookup* lookup_ = nullptr;
  };

  /// Ranges over the vertices with these ids.
  handles(std::span<const vertex_id> ids, const id_lookup& lookup) noexcept : ids_(ids), lookup_(&lookup) {}
  /// Returns the beginning.
  iterator begin() const noexcept { return {ids_.data(), lookup_}; }
  /// Returns the end.
  iterator end() const noexcept { return {ids_.data() + ids_.size(), lookup_}; }
  /// Returns the number of neighbours.
  std::size_t size() const noexcept { return ids_.size(); }

 private:
  std::span<const vertex_id> ids_;
  const id_lookup* lookup_;
};

inline vertex_index::handles vertex_index::neighbours(vertex_handle h) const noexcept {
  return {neighbours_[h], *lookup_};
}

}  // namespace perdure::graph
