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

/// Numbers the vertices bank by bank and finds a vertex's number by its id. Neighbour lists are not copied:
/// the graph must stay unchanged and open while the index is in use. Each step along a list is a look-up, so
/// what goes through all of the graph several times is faster on a CSR.
///
/// Thread safety: const members from any thread.
class vertex_index {
 public:
  /// `weights` is a column of the graph, or null; edges that were added to the list alone weigh what the
  /// column has for those. O(vertices). Throws `errc::unsupported` beyond 2^32 - 1 vertices.
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

  vertex_index(vertex_index&&) = default;
  vertex_index& operator=(vertex_index&&) = default;

  /// Neighbours as they are numbered.
  class handles;

  std::size_t size() const noexcept { return ids_.size(); }
  std::uint64_t arcs() const noexcept { return arcs_; }
  bool symmetric() const noexcept { return symmetric_; }
  std::uint64_t degree(vertex_handle h) const noexcept { return neighbours_[h].size(); }
  handles neighbours(vertex_handle h) const noexcept;

  bool has_weights() const noexcept { return !weights_.empty(); }
  /// In the order of `neighbours(h)`; empty where arcs have none.
  std::span<const double> weights(vertex_handle h) const noexcept {
    return weights_.empty() ? std::span<const double>() : weights_[h];
  }

  vertex_id id(vertex_handle h) const noexcept { return ids_[h]; }
  /// The neighbours by their ids, as the graph has them.
  std::span<const vertex_id> neighbour_ids(vertex_handle h) const noexcept { return neighbours_[h]; }

  /// The vertex's handle, or `no_vertex`. O(1).
  vertex_handle find(vertex_id v) const noexcept { return lookup_->find(v); }

  /// All handles, ordered by the vertices' ids. O(vertices log vertices).
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

class vertex_index::handles {
 public:
  class iterator {
   public:
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

   private:
    const vertex_id* at_ = nullptr;
    const id_lookup* lookup_ = nullptr;
  };

  handles(std::span<const vertex_id> ids, const id_lookup& lookup) noexcept : ids_(ids), lookup_(&lookup) {}
  iterator begin() const noexcept { return {ids_.data(), lookup_}; }
  iterator end() const noexcept { return {ids_.data() + ids_.size(), lookup_}; }
  std::size_t size() const noexcept { return ids_.size(); }

 private:
  std::span<const vertex_id> ids_;
  const id_lookup* lookup_;
};

inline vertex_index::handles vertex_index::neighbours(vertex_handle h) const noexcept {
  return {neighbours_[h], *lookup_};
}

}  // namespace perdure::graph
